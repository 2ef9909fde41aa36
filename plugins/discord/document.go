package discord

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// maxText is how many bytes of a thread go into one document.
const maxText = sdk.MaxBody - 64<<10

func windowID(r room, id snowflake) string { return r.ID + "/" + id.String() }
func threadID(r room, id string) string    { return r.ID + "/thread/" + id }

// window is the document of messages that stand together.
func (s *Source) window(r room, list []message) sdk.Document {
	d := s.facts(r, nil)
	d.ID, d.URL, d.Kind = windowID(r, list[0].id), link(r.GuildID, r.ID, list[0].id.String()), "messages"
	d.Created = s.past(list[0].id.time())
	s.write(&d, r, r.ID, list)
	for _, m := range list {
		if words := plainText(m.text, r.naming(m)); words != "" {
			d.Title += ": " + history.Clip(words, 70)
			break
		}
	}
	return d
}

// thread is the document of a thread or a forum post, without what was said for a
// list that is nil.
func (s *Source) thread(r room, t *discordgo.Channel, list []message, more bool) sdk.Document {
	d := s.facts(r, t)
	d.ID, d.URL, d.Kind = threadID(r, t.ID), link(r.GuildID, t.ID, ""), "thread"
	d.URL = strings.TrimSuffix(d.URL, "/")
	d.Title += ": " + history.Clip(t.Name, 100)
	d.Created = s.past(idOf(t).time())
	var tags []string
	for _, id := range t.AppliedTags {
		for _, tag := range r.AvailableTags {
			if tag.ID == id {
				tags = append(tags, tag.Name)
			}
		}
	}
	if len(tags) > 0 {
		d.Meta["tags"] = strings.Join(tags, ", ")
	}
	if left := s.write(&d, r, t.ID, list); left > 0 || more {
		d.Meta["left_out"] = "the later messages"
	}
	return d
}

func (s *Source) facts(r room, t *discordgo.Channel) sdk.Document {
	in := []string{r.GuildID, r.ID}
	if private(t) {
		in = append(in, t.ID) // it has readers of its own
	}
	return sdk.Document{
		Title: "#" + r.Name, Folders: append(in, "#"+r.Name), Access: s.access(r, t),
		Meta: map[string]string{"channel": r.Name, "server": r.in.Name},
	}
}

// write puts the messages into a document and tells how many found no room.
func (s *Source) write(d *sdk.Document, r room, channel string, list []message) (left int) {
	d.Updated = d.Created
	var b strings.Builder
	for n, m := range list {
		if !slices.Contains(d.Authors, m.author) {
			d.Authors = append(d.Authors, m.author)
		}
		last := m.id.time()
		if edited := time.UnixMilli(m.edited).UTC(); edited.After(last) {
			last = edited
		}
		if last = s.past(last); last.After(d.Updated) {
			d.Updated = last
		}
		at := link(r.GuildID, channel, m.id.String())
		part := fmt.Sprintf("### %s on %s\n\n[permalink](%s)\n\n%s", m.author, m.id.time().Format("2 January 2006 15:04"), at, history.Cut(markdown(m.text, r.naming(m)), 64<<10))
		for _, f := range m.files {
			part += "\n\nFile: " + history.PlainName(f)
		}
		if b.Len()+len(part) > maxText {
			left = len(list) - n
			break
		}
		b.WriteString(part + "\n\n")
	}
	if len(d.Authors) > 0 {
		d.Author = d.Authors[0]
	}
	d.Body = strings.TrimSpace(b.String())
	return left
}

// naming knows those whom a message names.
func (r room) naming(m message) names {
	of := func(table map[string]string) func(string) string {
		return func(id string) string { return history.PlainName(table[id]) }
	}
	return names{user: of(m.users), role: of(r.in.roles), channel: of(r.in.public)}
}

func (s *Source) past(t time.Time) time.Time { return history.Past(t, s.now()) }

// threadMark changes when a thread does, as far as a list tells.
func threadMark(t *discordgo.Channel) string {
	open := t.ThreadMetadata != nil && !t.ThreadMetadata.Archived
	mark := fmt.Sprintf("%s %d %s %v", cmp.Or(t.LastMessageID, "0"), t.MessageCount, history.Clip(t.Name, 40), t.AppliedTags)
	if open {
		return "o " + mark
	}
	return "a " + mark
}

// wasOpen tells of a mark whether the thread was open then.
func wasOpen(mark string) bool { return strings.HasPrefix(mark, "o ") }

// sameMark tells whether a thread is as it was, archived or not.
func sameMark(a, b string) bool { return len(a) > 2 && len(b) > 2 && a[2:] == b[2:] }
