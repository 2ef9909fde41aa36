package slacktest

import (
	"encoding/json"
	"testing"
)

func TestCheckManifest(t *testing.T) {
	const base = `"display_information":{"name":"Footnote"}`
	for _, row := range []struct{ name, text, pointer string }{
		{"good", `{` + base + `}`, ""},
		{"no name", `{}`, "/display_information/name"},
		{"no JSON", `[]`, "/"},
		{"unknown scope", `{` + base + `,"features":{"bot_user":{"display_name":"x"}},"oauth_config":{"scopes":{"bot":["chat:shout"]}}}`, "/oauth_config/scopes/bot/0"},
		{"scopes without a bot", `{` + base + `,"oauth_config":{"scopes":{"bot":["chat:write"]}}}`, "/features/bot_user"},
		{"both panes", `{` + base + `,"features":{"bot_user":{},"agent_view":{},"assistant_view":{}},"oauth_config":{"scopes":{"bot":["assistant:write"]}}}`, "/features/assistant_view"},
		{"pane without its scope", `{` + base + `,"features":{"agent_view":{}}}`, "/oauth_config/scopes/bot"},
		{"command without a slash", `{` + base + `,"features":{"bot_user":{},"slash_commands":[{"command":"ask","description":"x"}]},"oauth_config":{"scopes":{"bot":["commands"]}},"settings":{"socket_mode_enabled":true}}`, "/features/slash_commands/0/command"},
		{"command without an address", `{` + base + `,"features":{"bot_user":{},"slash_commands":[{"command":"/ask","description":"x"}]},"oauth_config":{"scopes":{"bot":["commands"]}}}`, "/features/slash_commands/0/url"},
		{"shortcut of a wrong kind", `{` + base + `,"features":{"shortcuts":[{"name":"x","type":"far","callback_id":"c"}]},"settings":{"socket_mode_enabled":true,"interactivity":{"is_enabled":true}}}`, "/features/shortcuts/0/type"},
		{"shortcut without interactivity", `{` + base + `,"features":{"shortcuts":[{"name":"x","type":"global","callback_id":"c"}]}}`, "/settings/interactivity"},
		{"unknown event", `{` + base + `,"settings":{"socket_mode_enabled":true,"event_subscriptions":{"bot_events":["sunrise"]}}}`, "/settings/event_subscriptions/bot_events/0"},
		{"event without an address", `{` + base + `,"settings":{"event_subscriptions":{"bot_events":["app_home_opened"]}}}`, "/settings/event_subscriptions/request_url"},
	} {
		bad := checkManifest(json.RawMessage(row.text))
		if row.pointer == "" && len(bad) > 0 || row.pointer != "" && (len(bad) != 1 || bad[0].Pointer != row.pointer) {
			t.Errorf("%s: %v, want %q", row.name, bad, row.pointer)
		}
	}
}
