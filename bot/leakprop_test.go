package bot_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/agent"
)

// site is a place with what each of its readers holds there, told apart from how
// the policy sees it.
type site struct {
	place   core.Place
	readers [][]core.Principal
	granted []string // sources that the owner says all readers may know
}

// mayKnow tells whether every reader may read the document.
func (s site) mayKnow(d core.Document) bool {
	source, _, _ := strings.Cut(d.ID, "/")
	return slices.Contains(s.granted, source) || !slices.ContainsFunc(s.readers, func(held []core.Principal) bool { return !d.Access.Allows(held) })
}

// town is a random install: people in groups, documents, places.
type town struct {
	*rand.Rand
	people []core.Viewer
	docs   []core.Document
	sites  []site
}

var (
	townWords  = strings.Fields("harbour ferry winch crane dock buoy anchor pilot")
	townGroups = []core.Principal{core.Group("slack", "g0"), core.Group("slack", "g1"), core.Group("slack", "g2")}
)

// canaries stand in a document's text, title, address, author, heading and
// metadata, and nowhere else.
func canaries(n int) []string {
	var out []string
	for _, field := range []string{"BODY", "TITLE", "URL", "AUTHOR", "HEAD", "META"} {
		out = append(out, fmt.Sprintf("%sx%03dx", field, n))
	}
	return out
}

func newTown(seed uint64) *town {
	t := &town{Rand: rand.New(rand.NewPCG(seed, 7))}
	for n := range 6 {
		v := access.Person(fmt.Sprintf("p%d@example.com", n), n > 0, t.some(townGroups)) // the first is a guest
		v.Class, v.Account = core.AccountMember, fmt.Sprintf("slack:T/%d", n)
		if n == 0 {
			v.Class = core.AccountGuest
		}
		t.people = append(t.people, v)
	}
	for n := range 20 {
		c := canaries(n)
		t.docs = append(t.docs, core.Document{
			ID: fmt.Sprintf("s%d/d%02d", n%3, n), Title: c[1], URL: "https://docs.example/" + c[2], Authors: []string{c[3]},
			Meta: map[string]string{"file": c[5]}, Access: t.access(),
			Body: fmt.Sprintf("# %s\n\nThe %s and the %s: %s.", c[4], t.word(), t.word(), c[0]),
		})
	}
	kinds := []core.PlaceKind{core.PlaceDirect, core.PlaceEphemeral, core.PlaceGroup, core.PlacePublic, core.PlacePrivate, core.PlaceGuests,
		core.PlaceConnect, core.PlaceEveryone, core.PlaceHidden, core.PlaceUnknown, core.PlacePrivateThread}
	for n := range 22 {
		t.sites = append(t.sites, t.site(n, kinds[n%len(kinds)]))
	}
	return t
}

func (t *town) word() string { return townWords[t.IntN(len(townWords))] }

func (t *town) some(list []core.Principal) []core.Principal {
	var out []core.Principal
	for _, p := range list {
		if t.IntN(2) == 0 {
			out = append(out, p)
		}
	}
	return out
}

func (t *town) access() core.Access {
	all := append([]core.Principal{core.Public, core.Workspace, core.WorkspaceOf("T"), core.User("p1@example.com"), core.User("p0@example.com"),
		own(3), own(4), own(5), own(8)}, townGroups...)
	return core.NewAccess(all[t.IntN(len(all))], all[1+t.IntN(len(all)-1)])
}

// own is the group of everybody who reads the n-th place.
func own(n int) core.Principal { return core.Group("slack", fmt.Sprintf("c%d", n)) }

// site makes a place of the kind. Who reads it follows from the kind and from
// chance; the policy is told no more than a platform could tell.
func (t *town) site(n int, kind core.PlaceKind) site {
	s := site{place: place(kind, fmt.Sprint(n))}
	s.place.Thread = fmt.Sprintf("thread-%d", t.IntN(4)) // shared, so that histories meet
	read := func(v core.Viewer) {
		s.readers = append(s.readers, append(slices.Clone(v.Principals), s.place.Own...))
	}
	outsider := core.Viewer{Principals: []core.Principal{core.Public}}
	members := t.people[1:]
	switch kind {
	case core.PlaceDirect, core.PlaceEphemeral:
		return s // whoever asks
	case core.PlaceUnknown:
		read(outsider)
		return s
	case core.PlaceConnect:
		s.place.External = true
	case core.PlaceGuests:
		members = t.people
	case core.PlacePrivateThread:
		s.place.Parent = core.PlaceHidden
	}
	if kind != core.PlaceGroup && kind != core.PlacePrivateThread {
		s.place.Own = []core.Principal{own(n)}
	}
	for i, v := range members {
		if kind == core.PlacePublic || i == 0 || t.IntN(2) == 0 {
			read(v)
			s.place.Members = append(s.place.Members, v.Principals)
			if kind == core.PlacePublic || kind == core.PlacePrivate {
				last := len(s.readers) - 1
				s.readers[last] = append(s.readers[last], core.WorkspaceOf("T")) // members of the workspace
			}
		}
	}
	if kind == core.PlaceConnect || kind == core.PlaceEveryone {
		read(outsider)
	}
	s.place.Intersection = t.IntN(2) == 0
	if t.IntN(3) == 0 {
		s.place.Granted = []core.Grantee{{Collection: core.Collection{Name: "harbour", Sources: []string{"s1"}}, Outsiders: true}}
		s.granted = []string{"s1"}
	}
	return s
}

// TestNoReaderIsToldWhatTheyMayNotRead asks random questions in random places of
// random installs, whose documents open and close meanwhile. Neither what the
// model is sent nor what is shown holds a word of a document that some reader of
// the place may not read.
func TestNoReaderIsToldWhatTheyMayNotRead(t *testing.T) {
	const installs, questions = 4, 40
	told, summaries := 0, 0
	for seed := range uint64(installs) {
		town := newTown(seed)
		w := newWorld(t, parrot, func(o *agent.Options) { o.Window, o.MaxOutput = 3000, 256 })
		w.put(town.docs...)
		for n := range questions {
			if n%4 == 3 {
				changed := town.IntN(len(town.docs))
				town.docs[changed].Access = town.access()
				w.put(town.docs[changed])
			}
			here := town.sites[town.IntN(len(town.sites))]
			asker := town.people[town.IntN(len(town.people))]
			if len(here.readers) == 0 { // a place of the asker's own
				here.place.ID += asker.Email
				here.readers = [][]core.Principal{asker.Principals}
			}
			got := w.ask(core.Question{Text: town.word() + " " + town.word(), Viewer: asker, Place: here.place})
			for i, d := range town.docs {
				for _, word := range canaries(i) {
					switch found := strings.Contains(got.all(), word); {
					case found && !here.mayKnow(d):
						t.Fatalf("install %d, question %d by %s in %s: %s of %s (%v) is told to %v",
							seed, n, asker.Email, here.place.Kind, word, d.ID, d.Access, here.readers)
					case found:
						told++
					}
				}
			}
		}
		for _, r := range w.server.Requests() {
			if !summary(r.Chat) && strings.Contains(string(r.Body), "In short: ") {
				summaries++
			}
		}
		w.mu.Lock()
		for i := range town.docs {
			lacks(t, "the log", w.log.String(), canaries(i)...)
		}
		w.mu.Unlock()
	}
	if summaries == 0 {
		t.Error("no summary of a thread was ever read")
	}
	if told < installs*questions {
		t.Errorf("only %d words were told at all: the test looks at nothing", told)
	}
}
