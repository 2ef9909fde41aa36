package slack

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// envelope is one thing that Slack sends, over a socket or over HTTP.
type envelope struct {
	kind    string // events_api, slash_commands, interactive
	payload json.RawMessage
	retry   int // how often it was sent before
}

// outer is the frame of an event.
type outer struct {
	Type     string          `json:"type"`
	Team     string          `json:"team_id"`
	App      string          `json:"api_app_id"`
	ID       string          `json:"event_id"`
	Event    json.RawMessage `json:"event"`
	External bool            `json:"is_ext_shared_channel"`
	Auths    []struct {
		Team string `json:"team_id"`
	} `json:"authorizations"`
}

// event is what Footnote reads of an event. Fields that it does not know are
// ignored, whatever they hold.
type event struct {
	Type        string          `json:"type"`
	Subtype     string          `json:"subtype"`
	Channel     id              `json:"channel"`
	ChannelID   string          `json:"channel_id"`
	ChannelType string          `json:"channel_type"`
	User        id              `json:"user"`
	Team        string          `json:"team"`
	UserTeam    string          `json:"user_team"`
	SourceTeam  string          `json:"source_team"`
	Bot         string          `json:"bot_id"`
	App         string          `json:"app_id"`
	Text        string          `json:"text"`
	TS          string          `json:"ts"`
	Thread      string          `json:"thread_ts"`
	Deleted     string          `json:"deleted_ts"`
	Tab         string          `json:"tab"`
	Hidden      bool            `json:"hidden"`
	Files       []file          `json:"files"`
	Edited      json.RawMessage `json:"edited"`
	Message     *event          `json:"message"`
	Previous    *event          `json:"previous_message"`
	Assistant   *assistant      `json:"assistant_thread"`
	Context     json.RawMessage `json:"context"`
	ParentUser  string          `json:"parent_user_id"`
	Blocks      json.RawMessage `json:"blocks"`
	Attachments json.RawMessage `json:"attachments"`

	noted func() // says that the ledger knows of the event; may be nil
}

// assistant is the thread of the agent pane.
type assistant struct {
	User    string `json:"user_id"`
	Channel string `json:"channel_id"`
	Thread  string `json:"thread_ts"`
	Context struct {
		Channel string `json:"channel_id"`
		Team    string `json:"team_id"`
	} `json:"context"`
}

// viewing is the channel that the person looks at beside the agent pane; "" if
// none or not known.
func (e event) viewing() string {
	var c struct {
		Entities []struct {
			Type  string `json:"type"`
			Value string `json:"value"`
		} `json:"entities"`
	}
	if json.Unmarshal(e.Context, &c) != nil {
		return ""
	}
	for _, one := range c.Entities {
		if strings.HasSuffix(one.Type, "/channel_id") {
			return one.Value
		}
	}
	return ""
}

// file is a file of a message.
type file struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Title    string `json:"title"`
	MIME     string `json:"mimetype"`
	Mode     string `json:"mode"`
	Size     int    `json:"size"`
	URL      string `json:"url_private_download"`
	Private  string `json:"url_private"`
	External bool   `json:"is_external"`
	Access   string `json:"file_access"`
}

// id is a channel or a user, which some events write as an object.
type id string

// UnmarshalJSON reads "C1" as well as {"id": "C1"}; anything else is no id.
func (i *id) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*i = id(s)
		return nil
	}
	var o struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &o) == nil {
		*i = id(o.ID)
	}
	return nil
}

// key is the name under which the manifest lists the event.
func (e event) key() string {
	if e.Type != "message" {
		return e.Type
	}
	switch e.ChannelType {
	case "im":
		return "message.im"
	case "mpim":
		return "message.mpim"
	case "group":
		return "message.groups"
	}
	return "message.channels"
}

// channel is where the event happened.
func (e event) channel() string {
	switch {
	case e.Channel != "":
		return string(e.Channel)
	case e.ChannelID != "":
		return e.ChannelID
	case e.Assistant != nil:
		return e.Assistant.Channel
	}
	return ""
}

// root is the timestamp of the thread that the message is in or would start.
func (e event) root() string {
	if e.Thread != "" {
		return e.Thread
	}
	return e.TS
}

// foreign tells that the sender belongs to another organisation than the bot.
func (e event) foreign(own who) bool {
	return slices.ContainsFunc([]string{e.UserTeam, e.SourceTeam}, func(team string) bool {
		return team != "" && team != own.Team && (own.Enterprise == "" || team != own.Enterprise)
	})
}

// parseEvent reads an event and the workspace that it is for.
func parseEvent(raw json.RawMessage) (outer, event, error) {
	var o outer
	if err := json.Unmarshal(raw, &o); err != nil {
		return o, event{}, core.Wrap(core.KindInvalid, err, "Slack sent an event that is no JSON object.")
	}
	if len(o.Auths) > 0 && o.Auths[0].Team != "" {
		o.Team = o.Auths[0].Team // of the bot; in shared channels team_id may be the sender's
	}
	var e event
	if len(o.Event) == 0 || string(o.Event) == "null" {
		return o, e, core.Errorf(core.KindInvalid, "Slack sent an event of type %q without content.", o.Type)
	}
	if err := json.Unmarshal(o.Event, &e); err != nil {
		return o, e, core.Wrap(core.KindInvalid, err, "Slack sent an event that cannot be read.")
	}
	return o, e, nil
}

// slash is a command that somebody typed.
type slash struct {
	Command  string `json:"command"`
	Text     string `json:"text"`
	Team     string `json:"team_id"`
	Channel  string `json:"channel_id"`
	Name     string `json:"channel_name"`
	User     string `json:"user_id"`
	Response string `json:"response_url"`
	Trigger  string `json:"trigger_id"`
	App      string `json:"api_app_id"`
}

// interaction is a button, a shortcut or a form that somebody used.
type interaction struct {
	Type     string `json:"type"`
	Callback string `json:"callback_id"`
	Trigger  string `json:"trigger_id"`
	Response string `json:"response_url"`
	App      string `json:"api_app_id"`
	ActionTS string `json:"action_ts"`
	Team     struct {
		ID string `json:"id"`
	} `json:"team"`
	User struct {
		ID   string `json:"id"`
		Team string `json:"team_id"`
	} `json:"user"`
	Channel struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"channel"`
	Message   event `json:"message"`
	Container struct {
		Type      string `json:"type"`
		TS        string `json:"message_ts"`
		Thread    string `json:"thread_ts"`
		Channel   string `json:"channel_id"`
		Ephemeral bool   `json:"is_ephemeral"`
	} `json:"container"`
	Actions []action `json:"actions"`
	View    struct {
		ID       string `json:"id"`
		Callback string `json:"callback_id"`
		Metadata string `json:"private_metadata"`
		State    struct {
			Values map[string]map[string]input `json:"values"`
		} `json:"state"`
	} `json:"view"`
}

type action struct {
	ID    string `json:"action_id"`
	Value string `json:"value"`
	TS    string `json:"action_ts"`
}

type input struct {
	Value    string `json:"value"`
	Selected struct {
		Value string `json:"value"`
	} `json:"selected_option"`
}

// field is what was typed or chosen in a form.
func (i interaction) field(block string) string {
	for _, in := range i.View.State.Values[block] {
		if in.Selected.Value != "" {
			return in.Selected.Value
		}
		return in.Value
	}
	return ""
}
