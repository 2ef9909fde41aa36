package slack

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

// decided is the manifest as the design has it.
const decided = `
display_information: {name: Footnote, description: Answers from your team's own sources}
features:
  bot_user: {display_name: footnote, always_online: true}
  app_home: {home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false}
  agent_view: {agent_description: Answers with sources}
  slash_commands:
    - {command: /ask, description: Private answer, usage_hint: your question, should_escape: true}
    - {command: /footnote, description: Settings and help, should_escape: true}
  shortcuts:
    - {name: Ask about this message, type: message, callback_id: ask_message, description: Private answer}
oauth_config:
  scopes:
    bot: [app_mentions:read, assistant:write, channels:history, channels:read, chat:write, commands,
          files:read, groups:history, groups:read, im:history, im:read, im:write, mpim:history, mpim:read,
          reactions:write, usergroups:read, users:read, users:read.email]
settings:
  event_subscriptions:
    bot_events: [agent_session_stopped, app_home_opened, app_mention, app_uninstalled, channel_shared,
                 channel_unshared, member_joined_channel, member_left_channel, message.channels,
                 message.groups, message.im, message.mpim, tokens_revoked]
  interactivity: {is_enabled: true}
  socket_mode_enabled: true
  org_deploy_enabled: false
  token_rotation_enabled: false
`

func asMap(t *testing.T, raw []byte, unmarshal func([]byte, any) error) map[string]any {
	t.Helper()
	var out map[string]any
	if err := unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestManifestIsTheOneOfTheDesign(t *testing.T) {
	want := asMap(t, []byte(decided), func(b []byte, v any) error { return yaml.Unmarshal(b, v) })
	if diff := cmp.Diff(want, asMap(t, Manifest(Variant{}), json.Unmarshal)); diff != "" {
		t.Errorf("the manifest differs from the design (-want +got):\n%s", diff)
	}
	out, err := ManifestYAML(Variant{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, asMap(t, out, func(b []byte, v any) error { return yaml.Unmarshal(b, v) })); diff != "" {
		t.Errorf("as YAML (-want +got):\n%s", diff)
	}
}

func TestVariantsLeaveOutWhatTheyDoNotNeed(t *testing.T) {
	full := Variant{}
	for _, row := range []struct {
		variant    Variant
		fewerEvent []string
		fewerScope []string
		moreScope  []string
	}{
		{Variant{MentionOnly: true}, []string{"message.channels", "message.groups"}, nil, nil},
		{Variant{NoAgent: true}, []string{"agent_session_stopped"}, []string{"assistant:write"}, nil},
		{Variant{Extras: true}, nil, nil, []string{"channels:join", "files:write"}},
	} {
		if got := minus(full.events(), row.variant.events()); !slices.Equal(got, row.fewerEvent) {
			t.Errorf("%+v: events left out: %v", row.variant, got)
		}
		if got := minus(full.scopes(), row.variant.scopes()); !slices.Equal(got, row.fewerScope) {
			t.Errorf("%+v: scopes left out: %v", row.variant, got)
		}
		if got := minus(row.variant.scopes(), full.scopes()); !slices.Equal(got, row.moreScope) {
			t.Errorf("%+v: scopes added: %v", row.variant, got)
		}
		if has := strings.Contains(string(Manifest(row.variant)), "agent_view"); has == row.variant.NoAgent {
			t.Errorf("%+v: agent_view is there: %v", row.variant, has)
		}
	}
}

func minus(a, b []string) []string {
	var out []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

func TestNewAppLinkCarriesTheManifest(t *testing.T) {
	u, err := url.Parse(NewAppLink(Variant{NoAgent: true}))
	if err != nil || u.Scheme != "https" || u.Query().Get("new_app") != "1" {
		t.Fatalf("link %v: %v", u, err)
	}
	if got := u.Query().Get("manifest_json"); got != string(Manifest(Variant{NoAgent: true})) {
		t.Errorf("manifest in the link: %s", got)
	}
}

func TestMissingScopesNameTheFeature(t *testing.T) {
	granted := minus(Variant{}.scopes(), []string{"reactions:write", "chat:write"})
	got := Variant{}.Missing(granted)
	want := []Lack{
		{Feature: "answers to mentions", Scopes: []string{"chat:write"}, Required: true},
		{Feature: "sign of life by reaction", Scopes: []string{"reactions:write"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	if got := (Variant{}).Missing(Variant{}.scopes()); got != nil {
		t.Errorf("nothing is missing, got %v", got)
	}
}
