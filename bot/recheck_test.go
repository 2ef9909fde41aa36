package bot

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// facts is what is known of places, and how often it was asked for.
type facts struct {
	mu    sync.Mutex
	kind  core.PlaceKind
	next  []core.PlaceKind // one for each question before kind counts
	fails error
	asked int
}

func (f *facts) become(kind core.PlaceKind) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kind = kind
}

func (f *facts) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

func (f *facts) audience(_ context.Context, place core.Place, viewer core.Viewer) (core.Audience, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	place.Kind = f.kind
	if len(f.next) > 0 {
		place.Kind, f.next = f.next[0], f.next[1:]
	}
	return access.Audience(place, viewer), f.fails
}

// ledgerOf keeps audit entries.
type ledgerOf struct {
	mu      sync.Mutex
	entries []core.AuditEntry
}

func (l *ledgerOf) note(_ context.Context, e core.AuditEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, e)
}

func (l *ledgerOf) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, e := range l.entries {
		out = append(out, e.Action+" "+e.Class+" "+e.Detail["outcome"]+" "+strings.Join(e.Documents, ","))
	}
	return out
}

// An answer made for a channel of the team is taken back where guests read it
// before it ends, and given anew for them, whatever was shown in between.
func TestWiderPlaceTakesTheAnswerBack(t *testing.T) {
	known, audit := &facts{kind: core.PlacePublic}, &ledgerOf{}
	said, goOn := make(chan struct{}), make(chan struct{})
	d, s := desk(t, nil, func(o *Options) { o.Audience, o.Audit = known.audience, audit.note })
	s.say = func(ctx context.Context, q core.Question, emit func(core.Event)) error {
		if q.Audience.Class != string(core.PlacePublic) {
			return words(ctx, core.Question{Text: "for all"}, emit)
		}
		emit(core.DocumentsFound{Documents: []core.DocumentRef{{DocumentID: "team/secret"}}})
		emit(core.TextDelta{Delta: "secret"})
		close(said)
		select {
		case <-goOn:
			emit(core.TextDelta{Delta: "more secret"})
		case <-ctx.Done():
		}
		return ctx.Err()
	}
	q := ann("th", "x")
	q.Place.ID, q.Place.Kind = "slack:T/C", core.PlaceUnknown
	r := ask(t, d, q, Wait)
	live := make(chan []string)
	go func() { live <- heard(t.Context(), r, 0) }()
	<-said
	early := opening(t, r, 3)
	known.become(core.PlaceGuests)
	d.Recheck("slack:T/C") // the model is silent: nothing but this makes it look
	if _, err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	same(t, []string{"turn", "documents", "text:secret"}, early)
	same(t, []string{"turn", "withdrawn", "text:for ", "text:all ", "done:for all "}, heard(t.Context(), r, 0))
	same(t, []string{"withdrawn", "text:for ", "text:all ", "done:for all "}, heard(t.Context(), r, 2))
	all := <-live
	same(t, "done:for all ", all[len(all)-1])
	found, under := r.Documents()
	same(t, 0, len(found)+len(under))
	same(t, "for all ", s.ledger[r.ID].Answer.Text)
	waitFor(t, "the audit", func() bool { return len(audit.lines()) == 2 })
	same(t, []string{"withdraw public_channel withdrawn ", "answer guest_channel answered "}, audit.lines())
	if !r.KnownTo(core.Place{Kind: core.PlaceGuests}, core.Viewer{}) {
		t.Error("what was made for guests may be known to guests")
	}
}

// Each step at which the place can change is looked at.
func TestReadersAreAskedBeforeAnythingIsShown(t *testing.T) {
	say := func(ctx context.Context, q core.Question, emit func(core.Event)) error {
		emit(core.StatusChanged{Stage: "searching"})
		emit(core.TextDelta{Delta: string("told " + q.Audience.Class)})
		return nil
	}
	const made, wide = core.PlacePublic, core.PlaceGuests
	for _, row := range []struct {
		name string
		next []core.PlaceKind // at the start, before the first text, before the end
		want []string
	}{
		{"nothing changes", []core.PlaceKind{made, made, made}, []string{"turn", "status:searching", "text:told public_channel", "done:told public_channel"}},
		{"before the first text", []core.PlaceKind{made, wide}, []string{"turn", "withdrawn", "status:searching", "text:told guest_channel", "done:told guest_channel"}},
		{"before the end", []core.PlaceKind{made, made, wide}, []string{"turn", "withdrawn", "status:searching", "text:told guest_channel", "done:told guest_channel"}},
		{"narrower", []core.PlaceKind{wide, made, made}, []string{"turn", "status:searching", "text:told guest_channel", "done:told guest_channel"}},
		{"silent in the end", []core.PlaceKind{made, core.PlaceConnect, core.PlaceConnect}, []string{"turn", "withdrawn", "error:denied"}},
		{"silent from the start", []core.PlaceKind{core.PlaceConnect}, []string{"turn", "error:denied"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			known := &facts{kind: wide, next: row.next}
			d, s := desk(t, say, func(o *Options) { o.Audience = known.audience })
			q := ann("th", "x")
			q.Place.Kind = made
			r := ask(t, d, q, Wait)
			if _, err := r.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			same(t, row.want, heard(t.Context(), r, 0))
			if strings.HasPrefix(row.name, "silent from") && len(s.texts()) > 0 {
				t.Error("the question was answered where nothing may be said")
			}
		})
	}
}

// Where the readers are not known the answer is for everybody, and where they
// cease to be known it is taken back.
func TestUnknownReadersAreTheStrictestClass(t *testing.T) {
	known := &facts{kind: core.PlaceDirect, fails: errors.New("the platform does not answer")}
	d, s := desk(t, words, func(o *Options) { o.Audience = known.audience })
	r := ask(t, d, ann("th", "x"), Wait)
	if _, err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, []core.Principal{core.Public}, s.asked[0].Audience.Principals)
	same(t, core.LinkPolicy{}, s.asked[0].Audience.Links)
}

// A place that changes each time is given up on.
func TestEndlessChangesEndTheTurn(t *testing.T) {
	known := &facts{kind: core.PlaceUnknown}
	for n := range 20 { // each look finds more readers than the answer is made for
		known.next = append(known.next, []core.PlaceKind{core.PlacePublic, core.PlaceUnknown}[n%2])
	}
	d, s := desk(t, words, func(o *Options) { o.Audience = known.audience })
	q := ann("th", "x")
	q.Place.Kind = core.PlacePublic
	r := ask(t, d, q, Wait)
	last, err := r.Wait(t.Context())
	failed, ok := last.(core.Failed)
	if err != nil || !ok || failed.Kind != core.KindUnavailable || len(s.texts()) != 1+mostAgain {
		t.Errorf("%d attempts, then %+v, %v", len(s.texts()), last, err)
	}
	same(t, []string{"turn", "withdrawn", "error:unavailable"}, heard(t.Context(), r, 0))
}

// Streaming does not ask for each word, but a word from the platform does.
func TestLooksAreRare(t *testing.T) {
	known := &facts{kind: core.PlacePublic}
	d, _ := desk(t, func(_ context.Context, _ core.Question, emit func(core.Event)) error {
		for range 2000 {
			emit(core.TextDelta{Delta: "w "})
		}
		return nil
	}, func(o *Options) { o.Audience = known.audience })
	started := time.Now()
	r := ask(t, d, ann("th", "x"), Wait)
	if _, err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if most := 3 + int(time.Since(started)/askEvery); known.count() > most {
		t.Errorf("asked %d times for 2000 words, at most %d were due", known.count(), most)
	}
}

// A second attempt does not follow itself, and the thread goes on behind it.
func TestWithdrawnTurnKeepsItsPlaceInTheThread(t *testing.T) {
	known := &facts{kind: core.PlaceGuests, next: []core.PlaceKind{core.PlacePublic, core.PlacePublic, core.PlaceGuests}}
	d, s := desk(t, words, func(o *Options) { o.Audience = known.audience })
	before := core.Turn{ID: "before", Thread: "th", Class: string(core.PlacePublic), Scope: []core.Principal{core.Public, core.Workspace}}
	s.ledger["before"], s.order = before, []string{"before"}
	q := ann("th", "x")
	q.Place.Kind = core.PlacePublic
	if _, err := ask(t, d, q, Wait).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) != 2 || s.asked[0].Parent != "before" || s.asked[1].Parent != "before" {
		t.Fatalf("asked %+v", s.asked)
	}
	if len(s.asked[0].History) != 1 || len(s.asked[1].History) != 0 {
		t.Error("what the team may know is not for guests")
	}
}

// Stopping a turn while its answer is taken back ends it.
func TestStopWhileAnsweringAnew(t *testing.T) {
	known := &facts{kind: core.PlaceGuests, next: []core.PlaceKind{core.PlacePublic}}
	d, _ := desk(t, hanging, func(o *Options) { o.Audience = known.audience })
	q := ann("th", "x")
	q.Place.Kind = core.PlacePublic
	r := ask(t, d, q, Wait)
	opening(t, r, 3) // to the first word of the second attempt
	if err := d.Stop(r.ID); err != nil {
		t.Fatal(err)
	}
	last, err := r.Wait(t.Context())
	if done, ok := last.(core.Done); err != nil || !ok || !done.Stopped || done.Text != "partial" {
		t.Errorf("got %+v, %v", last, err)
	}
}

// However a place changes while turns run, what stands in the end was made for
// the readers of the end, and nothing of what was said before is left.
func TestChangingPlacesInAnyOrder(t *testing.T) {
	kinds := []core.PlaceKind{core.PlacePublic, core.PlaceGuests, core.PlacePrivate, core.PlaceConnect, core.PlaceUnknown, core.PlaceEveryone}
	var mu sync.Mutex
	now, random := core.PlacePublic, rand.New(rand.NewPCG(1, 2))
	shuffle := func() {
		mu.Lock()
		defer mu.Unlock()
		now = kinds[random.IntN(len(kinds))]
	}
	audience := func(_ context.Context, place core.Place, viewer core.Viewer) (core.Audience, error) {
		mu.Lock()
		defer mu.Unlock()
		place.Kind = now
		return access.Audience(place, viewer), nil
	}
	d, _ := desk(t, func(ctx context.Context, q core.Question, emit func(core.Event)) error {
		for range 8 {
			emit(core.TextDelta{Delta: q.Audience.Class + " "})
			emit(core.Cited{Number: 1, DocumentID: q.Audience.Class})
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Millisecond):
			}
		}
		return nil
	}, func(o *Options) { o.Audience = audience })
	stop := make(chan struct{})
	var changer sync.WaitGroup
	changer.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(3 * time.Millisecond):
				shuffle()
				d.Recheck("slack:T/C")
			}
		}
	})
	withdrawn := 0
	for n := 0; n < 60 || withdrawn == 0; n++ { // at least one has to be taken back
		q := ann(fmt.Sprint("th", n%3), "x")
		q.Place.ID, q.Place.Kind = "slack:T/C", core.PlacePublic
		r := ask(t, d, q, Wait)
		live := heard(t.Context(), r, 0)
		if _, err := r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := heard(t.Context(), r, 0)
		if slices.Contains(live, "withdrawn") {
			withdrawn++
		}
		last := all[len(all)-1]
		_, class, done := strings.Cut(last, "done:")
		class, _, _ = strings.Cut(class, " ")
		for _, e := range all {
			if said, ok := strings.CutPrefix(e, "text:"); ok && (!done || strings.TrimSpace(said) != class) {
				t.Fatalf("%q is left of an answer that was withdrawn: %v", said, all)
			}
		}
		if _, under := r.Documents(); done && !slices.Equal(under, []string{class}) || !done && len(under) > 0 {
			t.Fatalf("documents %v behind %v", under, all)
		}
	}
	close(stop)
	changer.Wait()
}

// A turn that finds a source closed is answered anew, and what it said is gone.
func TestSourceClosedIsAnsweredAnew(t *testing.T) {
	audit, tries := &ledgerOf{}, 0
	d, _ := desk(t, func(ctx context.Context, q core.Question, emit func(core.Event)) error {
		if tries++; tries > 1 {
			return words(ctx, core.Question{Text: "open"}, emit)
		}
		emit(core.TextDelta{Delta: "secret"})
		return core.ErrWithdrawn
	}, func(o *Options) { o.Audit = audit.note })
	r := ask(t, d, ann("th", "x"), Wait)
	if _, err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, []string{"turn", "withdrawn", "text:open ", "done:open "}, heard(t.Context(), r, 0))
	waitFor(t, "the audit", func() bool { return len(audit.lines()) == 2 })
	same(t, []string{"withdraw dm withdrawn ", "answer dm answered "}, audit.lines())
}

// late is an Answerer that still has something to do after its last event.
type late struct{ goOn chan struct{} }

func (l late) Answer(_ context.Context, q core.Question, emit func(core.Event)) (core.Turn, error) {
	t := core.Turn{ID: q.TurnID, Used: []string{"s/secret"}, Answer: core.Answer{Text: "x"}}
	emit(core.Done{Answer: t.Answer})
	<-l.goOn
	return t, nil
}

// Between its last event and the moment when it is known what it rests on, a turn
// is not settled: nobody may take it for one that rests on nothing.
func TestTurnSettlesAfterItsLastEvent(t *testing.T) {
	l := late{make(chan struct{})}
	d, _ := desk(t, nil, func(o *Options) { o.Answerer = l })
	r := ask(t, d, ann("th", "x"), Wait)
	if _, err := r.Wait(t.Context()); err != nil || !r.Finished() {
		t.Fatalf("not finished: %v", err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := r.Settled(soon); err == nil {
		t.Error("settled before its documents are known")
	}
	close(l.goOn)
	if err := r.Settled(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, under := r.Documents()
	same(t, []string{"s/secret"}, under)
}
