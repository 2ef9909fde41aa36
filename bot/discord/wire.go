package discord

import (
	"encoding/json"
	"strconv"
	"time"
)

// What Discord sends, as far as it is read. Fields and kinds that are not known
// are left out, and nothing else with them.
type (
	user struct {
		ID     string `json:"id"`
		Name   string `json:"username"`
		Global string `json:"global_name"`
		Bot    bool   `json:"bot"`
		System bool   `json:"system"`
	}
	memberInfo struct {
		User        *user    `json:"user"`
		Nick        string   `json:"nick"`
		Roles       []string `json:"roles"`
		Pending     bool     `json:"pending"`
		Permissions bits     `json:"permissions"` // in the channel; with interactions only
	}
	attachment struct {
		ID   string `json:"id"`
		Name string `json:"filename"`
		Type string `json:"content_type"`
		Size int    `json:"size"`
		URL  string `json:"url"`
	}
	messageRef struct {
		Kind    int    `json:"type"` // 1 is a forwarded message
		Message string `json:"message_id"`
		Channel string `json:"channel_id"`
		Guild   string `json:"guild_id"`
	}
	message struct {
		ID           string           `json:"id"`
		Channel      string           `json:"channel_id"`
		Guild        string           `json:"guild_id"`
		Kind         int              `json:"type"`
		Content      string           `json:"content"`
		Edited       string           `json:"edited_timestamp"`
		Author       *user            `json:"author"`
		Webhook      string           `json:"webhook_id"`
		Member       *memberInfo      `json:"member"`
		Mentions     list[user]       `json:"mentions"`
		MentionRoles []string         `json:"mention_roles"`
		Everyone     bool             `json:"mention_everyone"`
		Reference    *messageRef      `json:"message_reference"`
		Replied      *message         `json:"referenced_message"`
		Attachments  list[attachment] `json:"attachments"`
		Embeds       list[embed]      `json:"embeds"`
		Snapshots    list[snapshot]   `json:"message_snapshots"`
	}
	snapshot struct {
		Message message `json:"message"`
	}
	embed struct {
		Title       string `json:"title"`
		Description string `json:"description"`
	}
	overwrite struct {
		ID    string `json:"id"`
		Kind  int    `json:"type"` // 0 of a role, 1 of a member
		Allow bits   `json:"allow"`
		Deny  bits   `json:"deny"`
	}
	channelInfo struct {
		ID         string      `json:"id"`
		Guild      string      `json:"guild_id"`
		Kind       int         `json:"type"`
		Name       string      `json:"name"`
		Parent     string      `json:"parent_id"`
		Owner      string      `json:"owner_id"` // of threads
		Overwrites []overwrite `json:"permission_overwrites"`
		Recipients []user      `json:"recipients"`
		Thread     *struct {
			Archived bool `json:"archived"`
			Locked   bool `json:"locked"`
		} `json:"thread_metadata"`
	}
	role struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Permissions bits   `json:"permissions"`
		Tags        *tags  `json:"tags"`
	}
	tags struct {
		Bot string `json:"bot_id"`
	}
	guildInfo struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Owner string `json:"owner_id"`
		Roles []role `json:"roles"`
	}
	applicationInfo struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Flags int    `json:"flags"`
	}
	commandInfo struct {
		Name string `json:"name"`
		Kind int    `json:"type"`
	}
)

// list holds what can be read of a list: what a message brings along beside its text
// and its author is no reason not to hear it.
type list[T any] []T

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (l *list[T]) UnmarshalJSON(raw []byte) error {
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return nil // of another kind than today
	}
	for _, one := range all {
		var v T
		if json.Unmarshal(one, &v) == nil {
			*l = append(*l, v)
		}
	}
	return nil
}

// Types of channels and messages, of those that matter.
const (
	channelText          = 0
	channelDM            = 1
	channelGroupDM       = 3
	channelNews          = 5
	channelNewsThread    = 10
	channelPublicThread  = 11
	channelPrivateThread = 12

	messageDefault = 0
	messageReply   = 19
)

func (c channelInfo) isThread() bool {
	return c.Kind == channelNewsThread || c.Kind == channelPublicThread || c.Kind == channelPrivateThread
}

func (u user) display() string { return firstOf(u.Global, u.Name) }

func (m memberInfo) display() string {
	if m.Nick != "" || m.User == nil {
		return m.Nick
	}
	return m.User.display()
}

// author is who wrote a message; the zero value where Discord does not tell.
func (m message) author() user {
	if m.Author == nil {
		return user{}
	}
	return *m.Author
}

// bits is a set of permissions, which Discord writes as a text.
type bits int64

// UnmarshalJSON implements json.Unmarshaler. What cannot be read is an error, so
// that nobody's rights are guessed.
func (b *bits) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	if text == "" || text == "null" {
		*b = 0
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	*b = bits(n)
	return err
}

func (b bits) has(want bits) bool { return b&want == want }

// epoch is when Discord's ids begin, in milliseconds.
const epoch = 1420070400000

// made is when the thing with the id was made; zero if it is no id.
func made(id string) time.Time {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(int64(n>>22) + epoch)
}
