package slack

import (
	"encoding/json"
	"net/url"

	"github.com/goccy/go-yaml"

	"github.com/footnote-bot/footnote/core"
)

// The commands and the shortcut that the manifest declares.
const (
	commandAsk    = "/ask"
	commandAdmin  = "/footnote"
	shortcutAsk   = "ask_message"
	newAppAddress = "https://api.slack.com/apps"
)

type manifest struct {
	Display  display  `json:"display_information"`
	Features shown    `json:"features"`
	OAuth    oauth    `json:"oauth_config"`
	Settings settings `json:"settings"`
}

type display struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type shown struct {
	BotUser   botUser    `json:"bot_user"`
	AppHome   appHome    `json:"app_home"`
	AgentView *agentView `json:"agent_view,omitempty"`
	Commands  []command  `json:"slash_commands"`
	Shortcuts []shortcut `json:"shortcuts"`
}

type botUser struct {
	DisplayName  string `json:"display_name"`
	AlwaysOnline bool   `json:"always_online"`
}

type appHome struct {
	HomeTab          bool `json:"home_tab_enabled"`
	MessagesTab      bool `json:"messages_tab_enabled"`
	MessagesReadOnly bool `json:"messages_tab_read_only_enabled"`
}

type agentView struct {
	Description string `json:"agent_description"`
}

type command struct {
	Command      string `json:"command"`
	Description  string `json:"description"`
	UsageHint    string `json:"usage_hint,omitempty"`
	ShouldEscape bool   `json:"should_escape"` // users and channels come as ids, not as names
}

type shortcut struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	CallbackID  string `json:"callback_id"`
	Description string `json:"description"`
}

type oauth struct {
	Scopes struct {
		Bot []string `json:"bot"`
	} `json:"scopes"`
}

type settings struct {
	Events struct {
		Bot []string `json:"bot_events"`
	} `json:"event_subscriptions"`
	Interactivity struct {
		Enabled bool `json:"is_enabled"`
	} `json:"interactivity"`
	SocketMode    bool `json:"socket_mode_enabled"`
	OrgDeploy     bool `json:"org_deploy_enabled"`
	TokenRotation bool `json:"token_rotation_enabled"` // such tokens die after 12 hours
}

// Manifest is the app's description as Slack takes it, one JSON object.
func Manifest(v Variant) []byte {
	m := manifest{
		Display: display{Name: "Footnote", Description: "Answers from your team's own sources"},
		Features: shown{
			BotUser: botUser{DisplayName: "footnote", AlwaysOnline: true},
			AppHome: appHome{HomeTab: true, MessagesTab: true},
			Commands: []command{
				{Command: commandAsk, Description: "Private answer", UsageHint: "your question", ShouldEscape: true},
				{Command: commandAdmin, Description: "Settings and help", ShouldEscape: true},
			},
			Shortcuts: []shortcut{
				{Name: "Ask about this message", Type: "message", CallbackID: shortcutAsk, Description: "Private answer"},
			},
		},
	}
	if !v.NoAgent {
		m.Features.AgentView = &agentView{Description: "Answers with sources"}
	}
	m.OAuth.Scopes.Bot = v.scopes()
	m.Settings.Events.Bot = v.events()
	m.Settings.Interactivity.Enabled = true
	m.Settings.SocketMode = true
	out, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings and bools only
	}
	return out
}

// ManifestYAML is the same as a YAML document, for people.
func ManifestYAML(v Variant) ([]byte, error) {
	out, err := yaml.JSONToYAML(Manifest(v))
	if err != nil {
		return nil, core.Wrap(core.KindInternal, err, "The manifest cannot be written as YAML.")
	}
	return out, nil
}

// NewAppLink opens Slack's page for a new app with the manifest filled in.
func NewAppLink(v Variant) string {
	return newAppAddress + "?" + url.Values{"new_app": {"1"}, "manifest_json": {string(Manifest(v))}}.Encode()
}
