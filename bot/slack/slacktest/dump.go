package slacktest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Dump writes what people see as text that is the same in every run: channels
// in the order in which they were added, messages in order with replies below
// their root, ephemeral messages, home tabs and modals. Time stamps become t1,
// t2 and so on, users their names.
func (s *Server) Dump() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &dumper{s: s, stamps: map[string]string{}}
	d.channels(s.order)
	for _, m := range s.ephemerals {
		d.line("== only for %s in %s", d.user(m.to), d.place(s.channels[m.channel]))
		d.message("", m)
	}
	for _, key := range sortedKeys(s.homes) {
		d.view("home of "+d.user(s.homes[key].user), s.homes[key])
	}
	for _, user := range sortedKeys(s.modals) {
		for _, v := range s.modals[user] {
			d.view("modal of "+d.user(user), v)
		}
	}
	return d.out.String()
}

// DumpChannels is the part of Dump for these channels.
func (s *Server) DumpChannels(ids ...string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &dumper{s: s, stamps: map[string]string{}}
	d.channels(ids)
	return d.out.String()
}

func (d *dumper) channels(ids []string) {
	for _, id := range ids {
		if c := d.s.channels[id]; c != nil && len(d.s.messages[id]) > 0 {
			d.channel(c)
		}
	}
}

type dumper struct {
	s      *Server
	out    strings.Builder
	stamps map[string]string
}

func (d *dumper) line(format string, args ...any) { fmt.Fprintf(&d.out, format+"\n", args...) }

// stamp gives a time stamp its short name; names are given in order of posting.
func (d *dumper) stamp(ts string) string {
	if d.stamps[ts] == "" {
		d.stamps[ts] = fmt.Sprintf("t%d", len(d.stamps)+1)
	}
	return d.stamps[ts]
}

func (d *dumper) user(id string) string {
	if u := d.s.users[id]; u != nil {
		return u.Name
	}
	return or(id, "webhook")
}

func (d *dumper) place(c *Channel) string {
	switch c.Kind {
	case DirectMessage, GroupMessage:
		var people []string
		for _, m := range c.Members {
			people = append(people, d.user(m))
		}
		slices.Sort(people)
		return "direct message of " + strings.Join(people, ", ")
	}
	name := "#" + c.Name
	if c.Kind == Private {
		name += " (private)"
	}
	if c.ExtShared || c.PendingShared || c.OrgShared {
		name += " (shared)"
	}
	return name
}

func (d *dumper) channel(c *Channel) {
	d.line("== %s", d.place(c))
	for _, m := range d.s.messages[c.ID] {
		if m.thread != "" && m.thread != m.ts {
			continue
		}
		d.message("", m)
		for _, r := range d.s.messages[c.ID] {
			if r.thread == m.ts && r.ts != m.ts {
				d.message("  ", r)
			}
		}
		if t := d.s.lookAtThread(c.ID, m.ts); t.Status != "" {
			d.line("  (status: %s)", t.Status)
		}
	}
}

func (d *dumper) message(indent string, m *message) {
	head := indent + d.stamp(m.ts) + " " + d.user(m.user)
	if m.username != "" {
		head += " as " + m.username
	}
	d.line("%s%s:", head, strings.Join(d.marks(m), ""))
	if !m.deleted {
		d.text(indent+"    ", m.shown())
	}
	for _, f := range m.files {
		d.line("%s    [file %s, %d bytes]", indent, f.title, len(f.data))
	}
	for _, r := range m.reactions {
		people := []string{}
		for _, u := range r.users {
			people = append(people, d.user(u))
		}
		d.line("%s    :%s: %s", indent, r.name, strings.Join(people, ", "))
	}
}

func (d *dumper) marks(m *message) []string {
	var out []string
	if m.edits > 0 {
		out = append(out, fmt.Sprintf(" (edited %d)", m.edits))
	}
	if m.deleted {
		out = append(out, " (deleted)")
	}
	if m.broadcast {
		out = append(out, " (also in the channel)")
	}
	if m.subtype != "" && m.subtype != "file_share" {
		out = append(out, " ("+m.subtype+")")
	}
	if m.stream != nil && d.s.streamState(m) == streamOpen {
		out = append(out, " (streaming)")
	}
	return out
}

func (d *dumper) text(indent, text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		d.line("%s%s", indent, line)
	}
}

func (d *dumper) view(what string, v *view) {
	if title := plainText(v.data["title"]); title != "" {
		what += ": " + title
	}
	d.line("== %s", what)
	d.text("    ", blocksText(v.blocks()))
	for _, block := range slices.Sorted(maps.Keys(v.errors)) {
		d.line("    ! %s: %s", block, v.errors[block])
	}
}
