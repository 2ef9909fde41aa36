package slack

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/slack-go/slack"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// maxText is how many bytes of a thread go into one document; what it has beyond
// that is counted.
const maxText = sdk.MaxBody - 64<<10

func documentID(c channel, ts string) string { return c.id + "/" + ts }

// permalink is built as Slack builds it: asking for each would take a request.
func permalink(me account, c channel, thread, ts string) string {
	out := me.page + "archives/" + c.id + "/p" + strings.ReplaceAll(ts, ".", "")
	if thread != "" && thread != ts {
		out += "?thread_ts=" + thread + "&cid=" + c.id
	}
	return out
}

// facts is a unit's document without its text.
func (s *Source) facts(me account, c channel, u unit) sdk.Document {
	kind := "messages"
	if u.thread {
		kind = "thread"
	}
	return sdk.Document{
		ID: documentID(c, u.id), Title: "#" + c.name, URL: permalink(me, c, "", u.id), Kind: kind,
		Created: s.past(u.at), Updated: s.past(u.at), Folders: []string{c.id, "#" + c.name}, Access: s.access(c),
		Meta: map[string]string{"channel": c.name},
	}
}

// document is the unit's document with what was said.
func (s *Source) document(ctx context.Context, me account, c channel, u unit, list []message) (sdk.Document, error) {
	d, thread := s.facts(me, c, u), ""
	if u.thread {
		thread = u.id
	}
	var b strings.Builder
	for n, m := range list {
		who, err := s.author(ctx, m)
		if err != nil {
			return d, err
		}
		of, err := s.naming(ctx, m.text)
		if err != nil {
			return d, err
		}
		if !slices.Contains(d.Authors, who) && m.user != "" {
			d.Authors = append(d.Authors, who)
		}
		if words := plainText(m.text, of); d.Title == "#"+c.name && words != "" {
			d.Title += ": " + history.Clip(words, 70)
		}
		if last := s.past(max(m.at, m.edited)); last.After(d.Updated) {
			d.Updated = last
		}
		part := m.markdown(who, permalink(me, c, thread, m.ts), of)
		if b.Len()+len(part) > maxText {
			d.Meta["left_out"] = fmt.Sprintf("%d messages", len(list)-n)
			break
		}
		b.WriteString(part)
	}
	if len(d.Authors) > 0 {
		d.Author = d.Authors[0]
	}
	d.Body = strings.TrimSpace(b.String())
	return d, nil
}

func (s *Source) author(ctx context.Context, m message) (string, error) {
	if m.user == "" {
		return cmp.Or(history.PlainName(m.name), "somebody"), nil
	}
	p, err := s.folks.who(ctx, m.user)
	return cmp.Or(history.PlainName(p.name), history.PlainName(m.name), "somebody"), err
}

// naming finds the names of those whom a text mentions.
func (s *Source) naming(ctx context.Context, text string) (names, error) {
	known := map[string]string{}
	for _, id := range mentioned(text) {
		p, err := s.folks.who(ctx, id)
		if err != nil {
			return names{}, err
		}
		known[id] = p.name
	}
	return names{user: func(id string) string { return known[id] }, group: s.folks.group, channel: s.folks.channel}, nil
}

// markdown is a message under a heading that joins its neighbours in a passage:
// only headings of the first two levels part them.
func (m message) markdown(who, at string, of names) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s on %s\n\n[permalink](%s)\n\n", who, m.at.time().Format("2 January 2006 15:04"), at)
	b.WriteString(history.Cut(markdown(m.text, of), 64<<10))
	for _, f := range m.files {
		fmt.Fprintf(&b, "\n\nFile: %s", history.PlainName(f))
	}
	b.WriteString("\n\n")
	return b.String()
}

func (s *Source) past(t stamp) time.Time { return history.Past(t.time(), s.now()) }

// thread reads a thread: the root, and what people replied.
func (s *Source) thread(ctx context.Context, me account, c channel, ts string) ([]message, error) {
	var out []message
	seen := map[stamp]bool{}
	for cursor := ""; ; {
		list, more, next, err := s.api.GetConversationRepliesContext(ctx, &slack.GetConversationRepliesParameters{ChannelID: c.id, Timestamp: ts, Limit: 200, Cursor: cursor})
		doing := fmt.Sprintf("the thread %s of #%s", ts, c.name)
		if err != nil {
			return nil, explain(doing, err)
		}
		for _, one := range list {
			m, err := messageOf(one, me.user)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", doing, err)
			}
			if keep := m.kind == said || m.kind == root && m.ts == ts; keep && !seen[m.at] {
				seen[m.at] = true
				out = append(out, m)
			}
		}
		if next == "" || !more && len(list) == 0 {
			break
		}
		if next == cursor {
			return nil, fmt.Errorf("%s goes around in circles: %w", doing, errOdd)
		}
		cursor = next
	}
	sort.Slice(out, func(i, j int) bool { return out[i].at < out[j].at })
	return out, nil
}
