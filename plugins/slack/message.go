package slack

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// message is what a document needs of one.
type message struct {
	ts      string
	at      stamp
	user    string
	text    string
	name    string // of a bot
	files   []string
	replies int
	latest  stamp // the last reply
	edited  stamp
	kind    kind
}

// kind is what becomes of a message.
type kind int

const (
	skipped kind = iota // joins, bots, what the bot itself wrote
	said                // by a person
	root                // with replies
)

// stamp is a moment in microseconds, which is how Slack counts messages.
type stamp int64

const (
	second stamp = 1e6
	hour         = 3600 * second
)

func stampOf(ts string) (stamp, bool) {
	whole, fraction, _ := strings.Cut(ts, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || len(fraction) > 6 || seconds <= 0 || seconds > 1<<40 {
		return 0, false
	}
	micros, err := strconv.ParseUint("0"+fraction+strings.Repeat("0", 6-len(fraction)), 10, 32)
	return stamp(seconds)*second + stamp(micros), err == nil
}

func (t stamp) String() string  { return fmt.Sprintf("%d.%06d", t/second, t%second) }
func (t stamp) time() time.Time { return time.UnixMicro(int64(t)).UTC() }
func (t stamp) hour() stamp     { return t - t%hour }

func stampAt(t time.Time) stamp { return stamp(t.UnixMicro()) }

var errOdd = errors.New("the answer is not one of Slack's")

// messageOf reads a message. me is the bot itself, whose answers are no knowledge.
func messageOf(m slack.Message, me string) (message, error) {
	out := message{ts: m.Timestamp, user: m.User, text: m.Text, name: m.Username, replies: m.ReplyCount}
	var ok bool
	if out.at, ok = stampOf(m.Timestamp); !ok {
		return out, fmt.Errorf("a message without a time: %w", errOdd)
	}
	out.latest, _ = stampOf(m.LatestReply)
	if m.Edited != nil {
		out.edited, _ = stampOf(m.Edited.Timestamp)
	}
	for _, f := range m.Files {
		if name := history.First(f.Name, f.Title); name != "" {
			out.files = append(out.files, name)
		}
	}
	person := m.BotID == "" && m.User != "" && slices.Contains([]string{"", "file_share", "me_message", "thread_broadcast"}, m.SubType)
	reply := m.ThreadTimestamp != "" && m.ThreadTimestamp != m.Timestamp
	switch {
	case m.User == me:
	case m.ReplyCount > 0 && !reply:
		// What a bot reported and people discussed is worth its first message.
		out.kind = root
		if m.SubType == "tombstone" {
			out.user, out.text = "", ""
		}
	case person && (m.Text != "" || len(out.files) > 0):
		out.kind = said
	}
	return out, nil
}

func (m message) when() stamp { return m.at }

// windows groups the messages of one hour, the oldest first.
func windows(list []message) [][]message {
	return history.Windows(list, 60*second, message.when, func(m message) string { return m.text })
}

// unit is a document before its text is known.
type unit struct {
	id       string // ts of its first message
	at       stamp
	thread   bool
	messages []message // of a thread the root alone
}

// units are the documents of one hour of a channel, the oldest first.
func units(list []message) []unit {
	list = slices.Clone(list)
	sort.Slice(list, func(i, j int) bool { return list[i].at < list[j].at })
	list = slices.CompactFunc(list, func(a, b message) bool { return a.at == b.at })
	var out []unit
	var loose []message
	for _, m := range list {
		switch m.kind {
		case root:
			out = append(out, unit{id: m.ts, at: m.at, thread: true, messages: []message{m}})
		case said:
			loose = append(loose, m)
		}
	}
	for _, w := range windows(loose) {
		out = append(out, unit{id: w[0].ts, at: w[0].at, messages: w})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].at < out[j].at })
	return out
}

// mark changes when the document does, of a thread as far as its first message
// tells.
func (u unit) mark() string {
	sum := fnv.New64a()
	for _, m := range u.messages {
		fmt.Fprintf(sum, "%s %d %d %d %q %q %q\n", m.ts, m.replies, m.latest, m.edited, m.user, m.text, m.files)
	}
	return strconv.FormatUint(sum.Sum64(), 36)
}
