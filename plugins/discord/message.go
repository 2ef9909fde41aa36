package discord

import (
	"fmt"
	"hash/fnv"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// snowflake is an id of Discord, which holds the time at which the thing was made.
type snowflake int64

// epoch is the first millisecond of 2015, from which snowflakes count.
const epoch = 1420070400000

const (
	second snowflake = 1000 << 22
	hour             = 3600 * second
	day              = 24 * hour
)

func snowflakeOf(id string) (snowflake, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	return snowflake(n), err == nil && n > 0
}

// snowflakeAt is the first id of a moment.
func snowflakeAt(t time.Time) snowflake { return max(0, snowflake(t.UnixMilli()-epoch)<<22) }

func (f snowflake) time() time.Time { return time.UnixMilli(int64(f>>22) + epoch).UTC() }
func (f snowflake) String() string  { return strconv.FormatInt(int64(f), 10) }
func (f snowflake) hour() snowflake { return f - f%hour }

// message is what a document needs of one.
type message struct {
	id     snowflake
	author string
	text   string
	users  map[string]string // names of those mentioned
	files  []string
	edited int64 // in milliseconds
	first  bool  // of a thread: the message that it was started from
}

// messageOf reads a message; ok is false for what bots and Discord itself wrote,
// and for what holds nothing.
func messageOf(m *discordgo.Message) (out message, ok bool, err error) {
	id, valid := snowflakeOf(m.ID)
	if !valid {
		return out, false, fmt.Errorf("a message without an id: %w", errOdd)
	}
	out = message{id: id}
	kind := m.Type
	if kind == discordgo.MessageTypeThreadStarterMessage && m.ReferencedMessage != nil {
		m, out.first = m.ReferencedMessage, true
		kind = m.Type
	}
	if m.Author == nil || m.Author.Bot || m.WebhookID != "" || kind != discordgo.MessageTypeDefault && kind != discordgo.MessageTypeReply {
		return out, false, nil
	}
	out.author, out.text, out.users = nameOf(m.Author), m.Content, map[string]string{}
	for _, u := range m.Mentions {
		out.users[u.ID] = nameOf(u)
	}
	for _, f := range m.Attachments {
		out.files = append(out.files, f.Filename)
	}
	if m.EditedTimestamp != nil {
		out.edited = m.EditedTimestamp.UnixMilli()
	}
	return out, out.text != "" || len(out.files) > 0, nil
}

func nameOf(u *discordgo.User) string {
	return history.First(history.PlainName(u.GlobalName), history.PlainName(u.Username), "somebody")
}

func (m message) when() snowflake { return m.id }

// windows groups the messages of one hour by where the talk paused.
func windows(list []message) [][]message {
	list = slices.Clone(list)
	sort.Slice(list, func(i, j int) bool { return list[i].id < list[j].id })
	list = slices.CompactFunc(list, func(a, b message) bool { return a.id == b.id })
	return history.Windows(list, 60*second, message.when, func(m message) string { return m.text })
}

// markOf changes when a window does.
func markOf(list []message) string {
	sum := fnv.New64a()
	for _, m := range list {
		fmt.Fprintf(sum, "%d %d %q %q %q\n", m.id, m.edited, m.author, m.text, m.files)
	}
	return strconv.FormatUint(sum.Sum64(), 36)
}
