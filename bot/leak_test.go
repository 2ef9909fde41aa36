package bot_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

var (
	hr   = core.Group("slack", "hr")
	boss = person("boss@example.com", hr)
	bob  = person("bob@example.com")
)

// the documents of the scenarios: words in capitals are told nowhere but where
// their document may be read.
func library() []core.Document {
	return []core.Document{
		{ID: "hr/salaries", Title: "Salaries TITLECANARY", URL: "https://hr.example/URLCANARY", Authors: []string{"AUTHORCANARY"},
			Meta: map[string]string{"file": "METACANARY"}, Access: core.Access{hr},
			Body: "# HEADCANARY\n\nThe salaries of managers are 123 BODYCANARY."},
		{ID: "wiki/levels", Title: "Levels of managers", URL: "https://wiki.example/levels", Access: core.Access{core.Workspace},
			Body: "The salaries of managers follow five LEVELS of the team."},
		{ID: "web/jobs", Title: "Jobs", URL: "https://www.example/jobs", Access: core.Access{core.Public},
			Body: "We tell the salaries of managers in the ADVERT."},
	}
}

const salaries = "What are the salaries of managers?"

var hrCanaries = []string{"TITLECANARY", "URLCANARY", "AUTHORCANARY", "METACANARY", "HEADCANARY", "BODYCANARY", "hr/salaries"}

func lacks(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if i := strings.Index(strings.ToLower(text), strings.ToLower(word)); i >= 0 {
			t.Errorf("%s tells %s: …%s…", what, word, text[max(0, i-80):min(len(text), i+80)])
		}
	}
}

func has(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%s lacks %q: %s", what, word, text)
		}
	}
}

// L1: a manager asks in a public channel. Nothing of the restricted documents is
// told, not even that there are any; the asker alone is offered a private answer.
func TestL1ManagerAsksInPublic(t *testing.T) {
	w := newWorld(t, parrot)
	w.put(library()...)
	got := w.ask(core.Question{Text: salaries, Viewer: boss, Place: place(core.PlacePublic, "C")})
	has(t, "the answer", got.answer.Text, "LEVELS", "ADVERT", "[[1]](https://")
	lacks(t, "the channel's answer", got.all(), hrCanaries...)
	lacks(t, "the channel's answer", got.events, "private", "not allowed", "cannot show")
	if got.offers != 1 {
		t.Errorf("%d offers", got.offers)
	}
	if other := w.ask(core.Question{Text: salaries, Viewer: bob, Place: place(core.PlacePublic, "D")}); other.offers != 0 {
		t.Error("somebody who may read no more was offered more")
	}
	bot := boss
	bot.Class = core.AccountBot
	if other := w.ask(core.Question{Text: salaries, Viewer: bot, Place: place(core.PlacePublic, "E")}); other.offers != 0 {
		t.Error("a bot was offered a private answer")
	}
	e, ok := w.audited(got.id, core.AuditAnswer)
	if !ok || e.Actor != "boss@example.com" || e.Class != "public_channel" || e.Scope == "" || slices.Contains(e.Documents, "hr/salaries") || len(e.Documents) != 2 {
		t.Errorf("the audit says %+v", e)
	}
}

// L2: the same in a direct message. L3: asked to repeat it in the channel, the
// model knows nothing of it, even in the same thread. L13: one question, two
// places, two answers.
func TestL2L3L13DirectThenChannel(t *testing.T) {
	w := newWorld(t, parrot)
	w.put(library()...)
	direct := place(core.PlaceDirect, "D")
	private := w.ask(core.Question{Text: salaries, Viewer: boss, Place: direct})
	has(t, "L2: the private answer", private.answer.Text, "BODYCANARY", "](https://hr.example/URLCANARY)")
	if private.offers != 0 {
		t.Error("L2: where only the asker reads nothing is offered")
	}
	channel := place(core.PlacePublic, "C")
	channel.Thread = direct.Thread
	for _, q := range []core.Question{
		{Text: "Repeat that here please: salaries of managers", Viewer: boss, Place: channel},
		{Text: "Repeat that here please: salaries of managers", Viewer: boss, Place: channel, Parent: private.id},
		{Text: salaries, Viewer: boss, Place: channel}, // L13
	} {
		got := w.ask(q)
		lacks(t, "L3: the channel", got.all(), hrCanaries...)
		has(t, "L13: the channel's answer", got.answer.Text, "LEVELS")
	}
	again := w.ask(core.Question{Text: "And again: salaries of managers", Viewer: boss, Place: direct})
	has(t, "the asker's own thread", again.asked, "BODYCANARY")
	// Nobody else gets it by naming its turn.
	other := w.ask(core.Question{Text: "Repeat: salaries of managers", Viewer: bob, Place: direct, Parent: private.id})
	lacks(t, "somebody else", other.all(), hrCanaries...)
}

// L4: outsiders join while the model writes. What was said is gone from the
// answer, the log, the ledger and the context of later questions.
func TestL4ChannelBecomesShared(t *testing.T) {
	release, writing := make(chan struct{}), make(chan struct{}, 8)
	w := newWorld(t, func(chat modeltest.Chat) modeltest.Reply {
		r := parrot(chat)
		if strings.Contains(r.Text, "LEVELS") {
			select {
			case writing <- struct{}{}:
			default:
			}
			select {
			case <-release:
			case <-time.After(2 * time.Minute):
			}
		}
		return r
	})
	w.put(library()...)
	for _, row := range []struct {
		name    string
		becomes core.PlaceKind
		refused bool
	}{{"guests", core.PlaceGuests, false}, {"outsiders", core.PlaceConnect, true}, {"nobody knows", core.PlaceUnknown, false}} {
		t.Run(row.name, func(t *testing.T) {
			here := place(core.PlacePublic, "C"+row.name)
			before := len(w.server.Requests())
			r, err := w.desk.Ask(t.Context(), core.Question{Text: salaries, Viewer: bob, Place: here}, bot.Wait)
			if err != nil {
				t.Fatal(err)
			}
			<-writing
			after := here
			after.Kind = row.becomes
			w.become(after)
			if _, err := r.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := w.hear(r, before)
			lacks(t, "the log", got.events, "LEVELS", "wiki.example")
			if !strings.Contains(got.events, `"withdrawn"`) || (got.failed != nil) != row.refused {
				t.Errorf("events: %s", got.events)
			}
			if _, ok := w.audited(got.id, core.AuditWithdraw); !ok {
				t.Error("the audit does not know that an answer was withdrawn")
			}
			kept, err := w.ledger.Turn(t.Context(), got.id)
			if err != nil {
				t.Fatal(err)
			}
			lacks(t, "the ledger", kept.Answer.Text, "LEVELS", "wiki")
			if row.refused {
				if got.failed.Kind != core.KindDenied || kept.Answer.Text != "" {
					t.Errorf("failed %+v, kept %q", got.failed, kept.Answer.Text)
				}
				return
			}
			next := w.ask(core.Question{Text: "And the salaries of managers?", Viewer: bob, Place: after})
			lacks(t, "the next question", next.all(), "LEVELS", "wiki.example")
			has(t, "the next question", next.asked, "ADVERT")
		})
	}
	close(release)
}

// L5: with the option a private channel gets what all its members may read, and
// the audit shows what; who joins later may read the old answer.
func TestL5IntersectionIsAnOptionAndAudited(t *testing.T) {
	w := newWorld(t, parrot)
	w.put(library()...)
	here := place(core.PlacePrivate, "P")
	here.Members = [][]core.Principal{boss.Principals, person("eve@example.com", hr).Principals}
	without := w.ask(core.Question{Text: salaries, Viewer: boss, Place: here})
	lacks(t, "without the option", without.all(), hrCanaries...)
	here.ID, here.Thread, here.Intersection = here.ID+"2", "other", true
	with := w.ask(core.Question{Text: salaries, Viewer: boss, Place: here})
	has(t, "with the option", with.answer.Text, "BODYCANARY")
	e, ok := w.audited(with.id, core.AuditAnswer)
	if !ok || !slices.Contains(e.Documents, "hr/salaries") || e.Class != "private_channel" {
		t.Errorf("audit %+v", e)
	}
	here.Members = append(here.Members, bob.Principals) // who may not read it
	joined := w.ask(core.Question{Text: "Again: salaries of managers", Viewer: boss, Place: here})
	lacks(t, "after somebody joined", joined.all(), hrCanaries...)
}

// L7: a guest reads along: public documents only, and no title of any other.
func TestL7GuestInTheChannel(t *testing.T) {
	w := newWorld(t, parrot)
	w.put(append(library(), core.Document{ID: "files/plan", Title: "OWNTITLE", URL: "https://files.example/OWNURL", Authors: []string{"OWNAUTHOR"},
		Meta: map[string]string{"file": "OWNFILE"}, Access: core.Access{core.Group("slack", "C")}, Body: "# OWNHEADING\n\nSalaries of managers: OWNBODY."})...)
	here := place(core.PlaceGuests, "C")
	here.Own = []core.Principal{core.Group("slack", "C")}
	got := w.ask(core.Question{Text: salaries, Viewer: boss, Place: here})
	has(t, "the answer", got.answer.Text, "ADVERT", "OWNBODY", "](https://www.example/jobs)")
	lacks(t, "the guests' channel", got.all(), append(hrCanaries, "LEVELS", "OWNTITLE", "OWNURL", "OWNAUTHOR", "OWNFILE", "OWNHEADING")...)
}

// L8: an address that opens by itself loses what opens it.
func TestL8SignedAddresses(t *testing.T) {
	w := newWorld(t, parrot)
	w.put(core.Document{ID: "files/a", Title: "Timetable", URL: "https://files.example/a.pdf?page=2&X-Amz-Signature=SIGCANARY&X-Amz-Credential=KEYCANARY",
		Access: core.Access{core.Public}, Body: "The timetable of the bus."})
	got := w.ask(core.Question{Text: "timetable of the bus", Viewer: boss, Place: place(core.PlaceDirect, "D")})
	has(t, "the answer", got.answer.Text, "](https://files.example/a.pdf?page=2)")
	lacks(t, "anything", got.all(), "SIGCANARY", "KEYCANARY", "X-Amz")
}

// L9: a title that is a secret itself does not come out where sources are held
// back, also not to the model, the log or the audit.
func TestL9SecretTitles(t *testing.T) {
	w := newWorld(t, parrot)
	for n, how := range []core.Discretion{core.NumberOnly, core.NeverShown} {
		source := []string{"quiet", "silent"}[n]
		w.put(core.Document{ID: source + "/SECRETID", Title: "Project SECRETTITLE", URL: "https://x.example/SECRETURL", Discretion: how,
			Authors: []string{"SECRETAUTHOR"}, Meta: map[string]string{"f": "SECRETFILE"}, Access: core.Access{core.Workspace},
			Body: "# SECRETHEADING\n\nThe office of " + source + " moves in May."})
	}
	for _, kind := range []core.PlaceKind{core.PlaceDirect, core.PlacePublic} {
		got := w.ask(core.Question{Text: "When does the office of quiet and silent move?", Viewer: bob, Place: place(kind, string(kind))})
		has(t, "the answer", got.answer.Text, "moves in May")
		lacks(t, string(kind), got.all(), "SECRETTITLE", "SECRETURL", "SECRETAUTHOR", "SECRETFILE", "SECRETHEADING", "SECRETID")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	lacks(t, "the log", w.log.String(), "SECRETTITLE", "SECRETURL", "BODYCANARY")
	for _, e := range w.audit {
		for _, v := range e.Detail {
			lacks(t, "the audit", v, "SECRETTITLE")
		}
	}
}

// L12: who is not known, or not active any more, gets what anybody gets.
func TestL12UnknownAndDeactivatedPeople(t *testing.T) {
	w := newWorld(t, parrot)
	w.put(library()...)
	gone := boss
	gone.Class = core.AccountDeactivated
	for name, viewer := range map[string]core.Viewer{
		"unmapped": {Account: "slack:T/U1"}, "deactivated": gone, "nobody": {},
		"no address": access.Person("", true, []core.Principal{hr}),
	} {
		for _, kind := range []core.PlaceKind{core.PlaceDirect, core.PlaceEphemeral, core.PlaceUnknown} {
			got := w.ask(core.Question{Text: salaries, Viewer: viewer, Place: place(kind, name+string(kind))})
			lacks(t, name+" in "+string(kind), got.all(), append(hrCanaries, "LEVELS")...)
			has(t, name, got.answer.Text, "ADVERT")
			if got.offers != 0 {
				t.Errorf("%s in %s was offered more", name, kind)
			}
		}
	}
}

// L15: a question that is passed on to somebody else brings only what they may
// read: the old answer is not known to them, and sharing it with them is refused.
func TestL15HelpersSeeTheirOwnSources(t *testing.T) {
	w := newWorld(t, parrot)
	w.put(library()...)
	got := w.ask(core.Question{Text: salaries, Viewer: boss, Place: place(core.PlaceDirect, "D")})
	r, err := w.desk.Find(t.Context(), got.id)
	if err != nil {
		t.Fatal(err)
	}
	helper := place(core.PlaceDirect, "H")
	if r.KnownTo(helper, bob) {
		t.Error("the helper may know the answer")
	}
	kept, err := w.ledger.Turn(t.Context(), got.id)
	if err != nil {
		t.Fatal(err)
	}
	readable, err := access.ReadableNow(t.Context(), w.ledger, access.Audience(helper, bob), kept.Used)
	if err != nil || readable["hr/salaries"] || !readable["wiki/levels"] || !readable["web/jobs"] {
		t.Errorf("for the helper: %v, %v", readable, err)
	}
}

// Rights that were taken away count at once, for what was said before as well.
func TestTurnsRestOnWhatMayBeReadNow(t *testing.T) {
	w := newWorld(t, parrot)
	docs := library()
	w.put(docs...)
	here := place(core.PlacePublic, "C")
	first := w.ask(core.Question{Text: salaries, Viewer: bob, Place: here})
	has(t, "the first answer", first.answer.Text, "LEVELS")
	second := w.ask(core.Question{Text: "Say it again", Viewer: bob, Place: here}) // rests on the first alone
	has(t, "the second", second.asked, "LEVELS")
	docs[1].Access = core.Access{hr}
	w.put(docs[1])
	third := w.ask(core.Question{Text: "Once more, salaries of managers", Viewer: bob, Place: here})
	lacks(t, "after the document was closed", third.all(), "LEVELS", "wiki.example")
	has(t, "after the document was closed", third.asked, "ADVERT")
	// Also where the platform brings the history itself.
	var history []core.Turn
	for _, id := range []string{first.id, second.id} {
		turn, err := w.ledger.Turn(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		history = append(history, turn)
	}
	given := w.ask(core.Question{Text: "salaries of managers", Viewer: bob, Place: here, History: history})
	lacks(t, "with a history that was given", given.all(), "LEVELS")
	docs[1].Access = core.Access{core.Workspace}
	w.put(docs[1])
	fourth := w.ask(core.Question{Text: "And now?", Viewer: bob, Place: here})
	has(t, "after it was opened again", fourth.asked, "LEVELS")
}

// No question is answered in a place that is silent, nor does it reach the model.
func TestSilentPlaces(t *testing.T) {
	w := newWorld(t, parrot)
	w.put(library()...)
	got := w.ask(core.Question{Text: salaries, Viewer: boss, Place: place(core.PlaceConnect, "X")})
	if got.failed == nil || got.failed.Kind != core.KindDenied || got.asked != "" {
		t.Errorf("got %+v", got)
	}
	lacks(t, "the refusal", got.events, "document", "source", "hidden", "salaries")
}
