package bot

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// office is everything that a Front asks, in memory.
type office struct {
	mu       sync.Mutex
	seen     map[string]bool
	buckets  map[string]core.Bucket
	viewers  map[string]core.Viewer
	settings Settings
	grants   []core.Grantee
	names    map[string]core.Collection // those that the audience may know
	fails    error
	now      time.Time
}

func (o *office) FirstSeen(_ context.Context, key string, _ time.Time) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	first := !o.seen[key]
	o.seen[key] = true
	return first, o.fails
}

func (o *office) TakeFrom(_ context.Context, key string, rate core.Rate, now time.Time) (wait time.Duration, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	b, wait := o.buckets[key].Take(rate, now)
	if wait == 0 {
		o.buckets[key] = b
	}
	return wait, o.fails
}

func (o *office) ThreadFacts(context.Context, string) (core.ThreadFacts, error) {
	return core.ThreadFacts{}, nil
}

func (o *office) Viewer(_ context.Context, a core.Account) (core.Viewer, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	v, ok := o.viewers[a.Key()]
	if !ok {
		v = access.ViewerOf(a, access.Standing{Home: true, Team: "T1", Domains: []string{"example.com"}})
		o.viewers[a.Key()] = v
	}
	return v, nil
}

func (o *office) Again(_ context.Context, v core.Viewer) (core.Viewer, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fresh := o.viewers[v.Account]
	fresh.Zone = v.Zone
	return fresh, o.fails
}

func (o *office) Settings(context.Context, string) (Settings, error) { return o.settings, nil }

func (o *office) Bound(_ context.Context, p core.Place) (core.Place, error) {
	p.Granted, p.External = o.grants, o.settings.External
	return p, nil
}

func (o *office) Agent(name string) (core.Agent, bool) {
	return core.Agent{Name: name}, name == "default" || name == "clerk"
}

func (o *office) Asked(_ context.Context, names []string, _ core.Audience) ([]core.Collection, error) {
	var out []core.Collection
	for _, n := range names {
		c, ok := o.names[n]
		if !ok {
			return nil, core.Errorf(core.KindNotFound, "there is no collection %q", n)
		}
		out = append(out, c)
	}
	return out, nil
}

// front is a Front at a desk that repeats the question.
func front(t *testing.T, change func(*FrontOptions)) (*Front, *office, *speaker) {
	t.Helper()
	d, s := desk(t, words, nil)
	o := &office{
		seen: map[string]bool{}, buckets: map[string]core.Bucket{}, viewers: map[string]core.Viewer{},
		now: time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	opts := FrontOptions{Desk: d, Ledger: o, People: o, Places: o, Agents: o, Collections: o, Now: func() time.Time { return o.now }}
	if change != nil {
		change(&opts)
	}
	return NewFront(opts), o, s
}

func in(text string) Incoming {
	return Incoming{
		Account: core.Account{Platform: "slack", Team: "T1", ID: "U1", Class: core.AccountMember, Email: "ann@example.com", Verified: true},
		Place:   core.Place{ID: "slack:T1/C1", Platform: "slack", Kind: core.PlacePublic, Thread: "slack:T1/C1/1", Team: "T1", Home: true},
		Text:    text,
	}
}

func TestAskPassesEverythingOn(t *testing.T) {
	f, o, s := front(t, nil)
	o.names = map[string]core.Collection{"hr": {Name: "hr", Sources: []string{"wiki"}}}
	o.settings.Agent = "clerk"
	q := in("Where?")
	q.Files = []core.Attachment{{Name: "a.txt", Text: "hello"}}
	q.Context, q.Collections, q.Parent = []core.Said{{Author: "Bob", Text: "hm"}}, []string{"hr"}, "turn-0"
	q.History, q.Zone = []core.Turn{}, time.FixedZone("CET", 3600)
	out, err := f.Ask(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	heard(t.Context(), out.Running, 0)
	got := s.asked[0]
	if got.Text != "Where?" || got.Agent.Name != "clerk" || out.Agent.Name != "clerk" || got.Viewer.Email != "ann@example.com" ||
		got.Viewer.Zone != q.Zone || !got.Asked.Equal(o.now) || got.Parent != "turn-0" || out.Audience.Class != "public_channel" {
		t.Errorf("question = %+v", got)
	}
	for _, d := range []string{cmp.Diff(q.Files, got.Files), cmp.Diff(q.Context, got.Context), cmp.Diff([]core.Collection{o.names["hr"]}, got.Collections)} {
		if d != "" {
			t.Error(d)
		}
	}
}

func TestNamedCollections(t *testing.T) {
	f, o, s := front(t, nil)
	o.names = map[string]core.Collection{"hr": {Name: "hr", Sources: []string{"wiki"}}}
	q := in("Where?")
	q.Collections = []string{"hr", "secret"}
	if _, err := f.Ask(t.Context(), q); core.KindOf(err) != core.KindNotFound || !strings.Contains(err.Error(), `"secret"`) {
		t.Errorf("error = %v", err)
	}
	q.Collections = []string{} // nothing is searched
	out, err := f.Ask(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	heard(t.Context(), out.Running, 0)
	if got := s.asked[0].Collections; got == nil || len(got) != 0 {
		t.Errorf("collections = %#v", got)
	}
	bare, _, _ := front(t, func(o *FrontOptions) { o.Collections = nil })
	q.Collections = []string{"hr"}
	if _, err := bare.Ask(t.Context(), q); core.KindOf(err) != core.KindNotFound || !strings.Contains(err.Error(), `"hr"`) {
		t.Errorf("where there are none: %v", err)
	}
}

func TestLimits(t *testing.T) {
	rate := func(n int) core.Rate { return core.Rate{Burst: n, Every: time.Minute} }
	for _, row := range []struct {
		name          string
		person, place core.Rate
		others        bool // each question comes from another account
		allowed       int
		byPlace       bool
	}{
		{"the person's", rate(2), rate(9), false, 2, false},
		{"the place's", rate(9), rate(3), true, 3, true},
		{"each has their own", rate(1), rate(9), true, 9, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			f, o, _ := front(t, func(o *FrontOptions) { o.PerPerson, o.PerPlace = row.person, row.place })
			ask := func(i int, free bool) error {
				q := in("Where?")
				q.Free, q.Place.Thread = free, ""
				if row.others {
					q.Account.ID = string(rune('A' + i))
				}
				_, err := f.Ask(t.Context(), q)
				return err
			}
			for i := range row.allowed {
				if err := ask(i, false); err != nil {
					t.Fatal(err)
				}
			}
			err := ask(row.allowed, false)
			var wait *WaitError
			if !errors.As(err, &wait) || core.KindOf(err) != core.KindBusy || wait.Place != row.byPlace || wait.Wait != time.Minute || !strings.Contains(err.Error(), "1m0s") {
				t.Fatalf("error = %v", err)
			}
			if err := ask(row.allowed, true); err != nil {
				t.Errorf("asked again by the bot itself: %v", err)
			}
			o.now = o.now.Add(wait.Wait)
			if err := ask(row.allowed+1, false); err != nil {
				t.Errorf("after the wait: %v", err)
			}
		})
	}
}

func TestAgentsFallBack(t *testing.T) {
	for _, row := range []struct {
		asked, settled, want string
		kind                 core.Kind
		log                  string
	}{
		{"", "", "default", "", ""},
		{"", "clerk", "clerk", "", ""},
		{"clerk", "gone", "clerk", "", ""},
		{"", "gone", "default", "", "gone"},
		{"gone", "clerk", "", core.KindNotFound, ""},
	} {
		var log bytes.Buffer
		f, o, _ := front(t, func(o *FrontOptions) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		o.settings.Agent = row.settled
		q := in("Where?")
		q.Agent = row.asked
		out, err := f.Ask(t.Context(), q)
		if core.KindOf(err) != row.kind || out.Agent.Name != row.want || !strings.Contains(log.String(), row.log) {
			t.Errorf("%q, %q: %q, %v, %s", row.asked, row.settled, out.Agent.Name, err, log.String())
		}
	}
}

func TestCannedAnswers(t *testing.T) {
	canned := func(edit func(*Incoming, *office)) (Outcome, error) {
		t.Helper()
		f, o, _ := front(t, nil)
		o.settings.Canned = []Canned{{Name: "vpn", Any: []string{"vpn"}, Answer: "Ask Bob."}}
		o.names = map[string]core.Collection{"hr": {Name: "hr"}}
		q := in("The VPN is down?")
		edit(&q, o)
		return f.Ask(t.Context(), q)
	}
	for _, row := range []struct {
		name string
		edit func(*Incoming, *office)
		want bool
	}{
		{"fits", func(*Incoming, *office) {}, true},
		{"a full answer is wanted", func(q *Incoming, _ *office) { q.Full = true }, false},
		{"with a file", func(q *Incoming, _ *office) { q.Files = []core.Attachment{{Name: "a"}} }, false},
		{"narrowed", func(q *Incoming, _ *office) { q.Collections = []string{"hr"} }, false},
		{"expired", func(_ *Incoming, o *office) { o.settings.Canned[0].Expires = o.now }, false},
		{"guests read it", func(q *Incoming, _ *office) { q.Place.Kind = core.PlaceGuests }, false},
		{"guests read it, and the owner named the place", func(q *Incoming, o *office) {
			q.Place.Kind, o.settings.Canned[0].Listed = core.PlaceGuests, true
		}, true},
		{"readers are not known", func(q *Incoming, _ *office) { q.Place.Kind = core.PlaceUnknown }, false},
		{"the ledger fails", func(q *Incoming, o *office) { q.Free, o.fails = true, errors.New("broken") }, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, err := canned(row.edit)
			if err != nil || (out.Canned != nil) != row.want || (out.Running != nil) == row.want {
				t.Errorf("outcome = %+v, %v", out, err)
			}
		})
	}
	out, err := canned(func(q *Incoming, o *office) { q.Place.Kind, o.settings.Canned[0].Listed = core.PlaceConnect, true })
	if core.KindOf(err) != core.KindDenied || out.Canned != nil || out.Running != nil || !out.Audience.Silent {
		t.Errorf("where nothing is answered: %+v, %v", out, err)
	}
}

func TestCannedOnceAThread(t *testing.T) {
	f, o, _ := front(t, nil)
	o.settings.Canned = []Canned{{Name: "vpn", Any: []string{"vpn"}, Answer: "Ask Bob."}, {Name: "wifi", Any: []string{"wifi"}, Answer: "Ask Eve."}}
	for _, row := range []struct {
		text, thread string
		want         bool
	}{
		{"vpn?", "1", true}, {"vpn?", "1", false}, {"wifi?", "1", true}, {"vpn?", "2", true}, {"vpn?", "", true}, {"vpn?", "", true},
	} {
		q := in(row.text)
		q.Free, q.Place.Thread = true, row.thread
		out, err := f.Ask(t.Context(), q)
		if err != nil || (out.Canned != nil) != row.want {
			t.Errorf("%q in thread %q: %+v, %v", row.text, row.thread, out.Canned, err)
		}
	}
	for key := range o.seen {
		if !strings.HasPrefix(key, core.LastingKey) {
			t.Errorf("%q may be forgotten after a day", key)
		}
	}
}

// lobby is a platform that says of its places what it is told to.
type lobby struct{ kind core.PlaceKind }

func (l lobby) Place(_ context.Context, p core.Place) core.Place {
	p.Kind = l.kind
	return p
}

func TestAudienceIsThatOfNow(t *testing.T) {
	f, o, _ := front(t, nil)
	hr := core.Group("wiki", "hr")
	was := core.Viewer{Account: "slack:T1/U1", Email: "ann@example.com", Class: core.AccountMember, Zone: time.UTC,
		Principals: []core.Principal{core.Public, core.User("ann@example.com"), hr, core.Workspace}}
	place := core.Place{ID: "slack:T1/D1", Platform: "slack", Kind: core.PlaceDirect, Team: "T1", Home: true}
	for _, row := range []struct {
		name string
		now  core.Viewer
		want []core.Principal
	}{
		{"unchanged", was, core.NewAccess(was.Principals...)},
		{"lost a group", core.Viewer{Email: "ann@example.com", Class: core.AccountMember, Principals: []core.Principal{core.User("ann@example.com")}},
			core.NewAccess(core.Public, core.User("ann@example.com"))},
		{"another address", core.Viewer{Email: "eve@example.com", Class: core.AccountMember, Principals: []core.Principal{core.User("eve@example.com")}},
			core.NewAccess(core.Public, core.User("eve@example.com"))},
		{"deactivated", core.Viewer{Class: core.AccountDeactivated, Principals: was.Principals}, core.NewAccess(core.Public)},
		{"gone", core.Viewer{}, core.NewAccess(core.Public)},
	} {
		t.Run(row.name, func(t *testing.T) {
			o.viewers["slack:T1/U1"] = row.now
			a, err := f.Audience(t.Context(), place, was)
			if err != nil || cmp.Diff(core.NewAccess(row.want...), core.NewAccess(a.Principals...)) != "" {
				t.Errorf("principals = %v, %v", a.Principals, err)
			}
		})
	}
	o.viewers["slack:T1/U1"] = was
	o.grants = []core.Grantee{{Collection: core.Collection{Name: "faq", Sources: []string{"wiki"}}}}
	channel := core.Place{ID: "slack:T1/C1", Platform: "slack", Kind: core.PlacePublic, Team: "T1", Home: true}
	class := func(p core.Place) core.Audience {
		t.Helper()
		a, err := f.Audience(t.Context(), p, was)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := class(channel); a.Class != "public_channel" || len(a.Granted) != 1 {
		t.Errorf("a platform that is not known: %+v", a)
	}
	f.Register("slack", lobby{core.PlaceConnect})
	if a := class(channel); a.Class != "connect_channel" || !a.Silent || len(a.Granted) != 0 {
		t.Errorf("the platform's own word: %+v", a)
	}
	if a := class(core.Place{ID: "http:x", Platform: "http", Kind: core.PlaceDirect}); a.Class != "dm" {
		t.Errorf("another platform: %+v", a)
	}
	o.fails = errors.New("broken")
	if _, err := f.Audience(t.Context(), channel, was); err == nil {
		t.Error("a failure has to be told, so that the strictest class counts")
	}
}

func TestFrontNeedsItsParts(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	NewFront(FrontOptions{})
}
