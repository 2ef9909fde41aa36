package slack

import "slices"

// need says when a feature is asked for.
type need int

const (
	always  need = iota // the bot does not work without it
	agent               // the agent pane; left out for workspaces whose plan lacks it
	channel             // reading channels without a mention; left out of mention-only
	extra               // asked for only where the owner wants it
	setup               // used while setting up, with another token
)

// feature is something the app does and what it needs from Slack for it.
type feature struct {
	name    string
	need    need
	scopes  []string // of the bot token
	events  []string // subscribed to
	accepts []string // handled when they come, not subscribed to
	methods []string // of the Web API, called by api.go and its neighbours only
}

// features is the only place where scopes, events and methods are listed: the
// manifest, the token check and the tests are made from it.
var features = []feature{
	{name: "connection",
		events:  []string{"app_uninstalled", "tokens_revoked"},
		methods: []string{"auth.test", "apps.connections.open"}},
	{name: "answers to mentions",
		scopes: []string{"app_mentions:read", "chat:write"},
		events: []string{"app_mention"},
		methods: []string{"chat.postMessage", "chat.postEphemeral", "chat.update", "chat.delete",
			"chat.startStream", "chat.appendStream", "chat.stopStream", "chat.getPermalink"}},
	{name: "direct messages",
		scopes:  []string{"im:history", "im:read", "im:write"},
		events:  []string{"message.im"},
		methods: []string{"conversations.open"}},
	{name: "group direct messages",
		scopes: []string{"mpim:history", "mpim:read"},
		events: []string{"message.mpim"}},
	{name: "follow-ups without a mention", need: channel,
		events: []string{"message.channels", "message.groups"}},
	{name: "context of threads",
		scopes:  []string{"channels:history", "groups:history", "im:history", "mpim:history"},
		methods: []string{"conversations.replies"}},
	{name: "readers of channels",
		scopes:  []string{"channels:read", "groups:read", "im:read", "mpim:read"},
		events:  []string{"member_joined_channel", "member_left_channel", "channel_shared", "channel_unshared"},
		accepts: []string{"channel_archive", "channel_deleted", "channel_rename", "group_rename"},
		methods: []string{"conversations.info", "conversations.members", "users.conversations"}},
	{name: "people",
		scopes:  []string{"users:read", "users:read.email"},
		accepts: []string{"user_change"},
		methods: []string{"users.info", "users.list"}},
	{name: "user groups",
		scopes:  []string{"usergroups:read"},
		methods: []string{"usergroups.list", "usergroups.users.list"}},
	{name: "commands and shortcuts",
		scopes:  []string{"commands"},
		methods: []string{"views.open"}},
	{name: "home tab",
		events:  []string{"app_home_opened"},
		methods: []string{"views.publish"}},
	{name: "sign of life by reaction",
		scopes:  []string{"reactions:write"},
		methods: []string{"reactions.add", "reactions.remove"}},
	{name: "files in questions",
		scopes:  []string{"files:read"},
		methods: []string{"files.download"}},
	{name: "agent pane", need: agent,
		scopes:  []string{"assistant:write"},
		events:  []string{"agent_session_stopped"},
		accepts: []string{"app_context_changed", "assistant_thread_started", "assistant_thread_context_changed"},
		methods: []string{"assistant.threads.setStatus", "assistant.threads.setTitle", "assistant.threads.setSuggestedPrompts"}},
	{name: "long answers as a file", need: extra,
		scopes:  []string{"files:write"},
		methods: []string{"files.upload", "files.delete"}},
	{name: "joining a channel when it is enabled", need: extra,
		scopes:  []string{"channels:join"},
		methods: []string{"conversations.join"}},
	{name: "creating the app", need: setup,
		methods: []string{"apps.manifest.validate", "apps.manifest.create"}},
}

// Variant says which features an app is made with.
type Variant struct {
	MentionOnly bool // no messages of channels without a mention, so no follow-ups there
	NoAgent     bool // for workspaces whose plan has no agent pane
	Extras      bool // scopes of features that are off by default: files:write, channels:join
}

// has tells whether the variant asks for the feature.
func (v Variant) has(f feature) bool {
	switch f.need {
	case agent:
		return !v.NoAgent
	case channel:
		return !v.MentionOnly
	case extra:
		return v.Extras
	case setup:
		return false
	}
	return true
}

// scopes lists the scopes of the variant's bot token, sorted.
func (v Variant) scopes() []string {
	return v.collect(func(f feature) []string { return f.scopes })
}

// events lists the events that the variant subscribes to, sorted.
func (v Variant) events() []string {
	return v.collect(func(f feature) []string { return f.events })
}

func (v Variant) collect(of func(feature) []string) []string {
	var out []string
	for _, f := range features {
		if v.has(f) {
			out = append(out, of(f)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Lack is a feature that does not work, and the scopes that it waits for.
type Lack struct {
	Feature  string
	Scopes   []string
	Required bool // the bot cannot work without it
}

// Missing compares the scopes that a token was granted with the table. Features
// that the owner did not ask for are not missing.
func (v Variant) Missing(granted []string) []Lack {
	var out []Lack
	for _, f := range features {
		if !v.has(f) {
			continue
		}
		var lacks []string
		for _, s := range f.scopes {
			if !slices.Contains(granted, s) {
				lacks = append(lacks, s)
			}
		}
		if lacks != nil {
			out = append(out, Lack{Feature: f.name, Scopes: lacks, Required: f.required()})
		}
	}
	return out
}

// required tells whether the bot is of no use without the feature.
func (f feature) required() bool {
	return f.name == "answers to mentions" || f.name == "readers of channels"
}
