package discordtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Dump writes what people see as text that is the same in every run: channels
// in the order in which they were added, threads as their own channels,
// messages in order, ephemeral ones marked with their reader, open modals, and
// interactions that were not answered in time. Ids of messages become m1, m2
// and so on, users their names.
func (s *Server) Dump() string { return s.dump("") }

// DumpFor writes what one person sees: the channels that they can view, their
// own ephemeral messages and modal, and no others'.
func (s *Server) DumpFor(user string) string { return s.dump(user) }

func (s *Server) dump(reader string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &dumper{s: s, reader: reader, names: map[string]string{}}
	for _, id := range s.order {
		c := s.channels[id]
		if len(s.messages[id]) > 0 && (reader == "" || s.may(reader, c).Has(ViewChannel)) {
			d.channel(c)
		}
	}
	for _, user := range slices.Sorted(maps.Keys(s.modals)) {
		if reader == "" || reader == user {
			d.modal(user)
		}
	}
	for _, i := range s.asked {
		if !i.acked && s.clock.Now().Sub(i.at) > s.options.answer && (reader == "" || reader == i.user) {
			d.line("== only for %s: %s did not respond to %s", d.user(i.user), d.user(BotUser), i.name)
		}
	}
	return d.out.String()
}

type dumper struct {
	s      *Server
	reader string
	out    strings.Builder
	names  map[string]string
}

func (d *dumper) line(format string, args ...any) { fmt.Fprintf(&d.out, format+"\n", args...) }

func (d *dumper) name(id string) string {
	if d.names[id] == "" {
		d.names[id] = fmt.Sprintf("m%d", len(d.names)+1)
	}
	return d.names[id]
}

func (d *dumper) user(id string) string {
	if u := d.s.users[id]; u != nil {
		return u.Name
	}
	return "unknown user"
}

func (d *dumper) channel(c *Channel) {
	d.line("== %s", d.place(c))
	for _, m := range d.s.messages[c.ID] {
		if m.kind != threadStarter && (d.reader == "" || m.to == "" || m.to == d.reader) {
			d.message(m)
		}
	}
}

func (d *dumper) place(c *Channel) string {
	switch {
	case c.Kind == Direct:
		return "direct message of " + d.user(c.Recipient)
	case !c.Kind.IsThread():
		return "#" + c.Name
	}
	out := fmt.Sprintf("#%s > %s", d.s.channels[c.Parent].Name, c.Name)
	for _, mark := range []struct {
		on   bool
		text string
	}{{c.Kind == PrivateThread, "private"}, {c.Archived, "archived"}, {c.Locked, "locked"}} {
		if mark.on {
			out += " (" + mark.text + ")"
		}
	}
	return out
}

func (d *dumper) message(m *message) {
	author := d.user(m.author)
	if m.hook != "" {
		author = m.hook + " (webhook)"
	}
	d.line("%s %s%s:", d.name(m.id), author, d.marks(m))
	if m.deleted {
		return
	}
	d.text(m.shown())
	for _, f := range m.files {
		d.line("    [file %s, %d bytes]", f.name, len(f.data))
	}
	controls(m.components, func(x object) {
		mark := ""
		if x["disabled"] == true {
			mark = ", disabled"
		}
		d.line("    [%s%s]", or(words(x, "label"), or(words(x, "placeholder"), words(x, "custom_id"))), mark)
	})
	for _, r := range m.reactions {
		people := []string{}
		for _, u := range r.users {
			people = append(people, d.user(u))
		}
		d.line("    %s %s", r.emoji, strings.Join(people, ", "))
	}
}

func (d *dumper) marks(m *message) string {
	out := ""
	if m.kind == replyMessage {
		out += " (to " + d.name(m.ref) + ")"
	}
	if m.to != "" {
		out += " (only for " + d.user(m.to) + ")"
	}
	if m.edits > 0 {
		out += fmt.Sprintf(" (edited %d)", m.edits)
	}
	if m.flags&flagLoading != 0 {
		out += " (thinking)"
	}
	if m.deleted {
		out += " (deleted)"
	}
	return out
}

func (d *dumper) text(text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		d.line("    %s", line)
	}
}

func (d *dumper) modal(user string) {
	data := d.s.modals[user].data
	d.line("== modal of %s: %s", d.user(user), words(data, "title"))
	for _, row := range list(data, "components") {
		for _, f := range list(row, "components") {
			d.line("    %s: %s", words(f, "label"), words(f, "value"))
		}
	}
}
