package slacktest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// manifest is an app made by apps.manifest.create.
type manifest struct {
	id   string
	text json.RawMessage
}

// manifestShape is what this server judges in a manifest.
type manifestShape struct {
	Display struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"display_information"`
	Features struct {
		Bot *struct {
			Name string `json:"display_name"`
		} `json:"bot_user"`
		Agent     *json.RawMessage `json:"agent_view"`
		Assistant *json.RawMessage `json:"assistant_view"`
		Commands  []struct {
			Command     string `json:"command"`
			Description string `json:"description"`
			URL         string `json:"url"`
		} `json:"slash_commands"`
		Shortcuts []struct {
			Name       string `json:"name"`
			Type       string `json:"type"`
			CallbackID string `json:"callback_id"`
		} `json:"shortcuts"`
	} `json:"features"`
	OAuth struct {
		Scopes struct {
			Bot []string `json:"bot"`
		} `json:"scopes"`
	} `json:"oauth_config"`
	Settings struct {
		Events struct {
			URL string   `json:"request_url"`
			Bot []string `json:"bot_events"`
		} `json:"event_subscriptions"`
		Interactivity struct {
			Enabled bool   `json:"is_enabled"`
			URL     string `json:"request_url"`
		} `json:"interactivity"`
		Socket bool `json:"socket_mode_enabled"`
	} `json:"settings"`
}

type manifestError struct {
	Message string `json:"message"`
	Pointer string `json:"pointer"`
}

// knownEvents are the bot events that this server can send or that need no
// sender, beside message.*.
var knownEvents = []string{"app_mention", "app_home_opened", "app_uninstalled", "tokens_revoked", "app_context_changed",
	"agent_session_stopped", "agent_session_title_changed", "assistant_thread_started", "assistant_thread_context_changed",
	"member_joined_channel", "member_left_channel", "channel_shared", "channel_unshared", "channel_archive", "channel_rename",
	"channel_unarchive", "reaction_added", "reaction_removed", "file_shared", "user_change", "subteam_updated", "team_join", "channel_created",
	"channel_deleted", "channel_left", "group_left", "link_shared", "emoji_changed", "team_rename", "team_domain_change",
	"message.channels", "message.groups", "message.im", "message.mpim"}

func checkManifest(raw json.RawMessage) []manifestError {
	var m manifestShape
	if err := json.Unmarshal(raw, &m); err != nil {
		return []manifestError{{err.Error(), "/"}}
	}
	var bad []manifestError
	fail := func(pointer, format string, args ...any) {
		bad = append(bad, manifestError{fmt.Sprintf(format, args...), pointer})
	}
	if n := units(m.Display.Name); n == 0 || n > 35 {
		fail("/display_information/name", "must be 1 to 35 characters")
	}
	if units(m.Display.Description) > 140 {
		fail("/display_information/description", "must be less than 141 characters")
	}
	m.checkFeatures(fail)
	m.checkEvents(fail)
	known := append(AllScopes(), "links:read", "team:read", "groups:write", "channels:manage", "pins:read", "search:read.public",
		"chat:write.public", "users:write", "emoji:read", "metadata.message:read", "conversations.connect:read")
	for i, scope := range m.OAuth.Scopes.Bot {
		if !slices.Contains(known, scope) {
			fail(fmt.Sprintf("/oauth_config/scopes/bot/%d", i), "%q is not a scope", scope)
		}
	}
	return bad
}

func (m *manifestShape) checkFeatures(fail func(string, string, ...any)) {
	f := m.Features
	if len(m.OAuth.Scopes.Bot) > 0 && f.Bot == nil {
		fail("/features/bot_user", "is required for bot scopes")
	}
	if f.Agent != nil && f.Assistant != nil {
		fail("/features/assistant_view", "cannot stand beside agent_view")
	}
	if (f.Agent != nil || f.Assistant != nil) && !slices.Contains(m.OAuth.Scopes.Bot, "assistant:write") {
		fail("/oauth_config/scopes/bot", "assistant:write is required for agent_view and assistant_view")
	}
	if len(f.Commands) > 0 && !slices.Contains(m.OAuth.Scopes.Bot, "commands") {
		fail("/oauth_config/scopes/bot", "commands is required for slash_commands")
	}
	for i, c := range f.Commands {
		at := fmt.Sprintf("/features/slash_commands/%d", i)
		if !strings.HasPrefix(c.Command, "/") || units(c.Command) > 32 || strings.ContainsAny(c.Command, " \t") {
			fail(at+"/command", "must begin with a slash, hold no space and be at most 32 characters")
		}
		if c.Description == "" {
			fail(at+"/description", "is required")
		}
		if c.URL == "" && !m.Settings.Socket {
			fail(at+"/url", "is required without Socket Mode")
		}
	}
	for i, c := range f.Shortcuts {
		at := fmt.Sprintf("/features/shortcuts/%d", i)
		if c.Type != "message" && c.Type != "global" {
			fail(at+"/type", "must be message or global")
		}
		if c.CallbackID == "" || units(c.Name) > 24 {
			fail(at, "needs a callback_id, and a name of at most 24 characters")
		}
	}
	if len(f.Shortcuts) > 0 && !m.Settings.Interactivity.Enabled {
		fail("/settings/interactivity", "is required for shortcuts")
	}
}

func (m *manifestShape) checkEvents(fail func(string, string, ...any)) {
	e := m.Settings.Events
	if len(e.Bot) > 0 && e.URL == "" && !m.Settings.Socket {
		fail("/settings/event_subscriptions/request_url", "is required without Socket Mode")
	}
	if m.Settings.Interactivity.Enabled && m.Settings.Interactivity.URL == "" && !m.Settings.Socket {
		fail("/settings/interactivity/request_url", "is required without Socket Mode")
	}
	for i, event := range e.Bot {
		at := fmt.Sprintf("/settings/event_subscriptions/bot_events/%d", i)
		if !slices.Contains(knownEvents, event) {
			fail(at, "%q is not an event", event)
			continue
		}
		need := eventScope(event)
		if need != "" && !slices.ContainsFunc(strings.Split(need, ","), func(x string) bool { return slices.Contains(m.OAuth.Scopes.Bot, x) }) {
			fail(at, "%s needs the scope %s", event, strings.ReplaceAll(need, ",", " or "))
		}
	}
}
