package bot_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// L6: the asker shares a private answer. It is checked document by document, and
// what the place may not show is taken out.
func TestL6SharingIsBlockedPerDocument(t *testing.T) {
	w := newWorld(t, parrot)
	w.put(library()...)
	w.put(core.Document{ID: "files/own", Title: "OWNTITLE", URL: "https://files.example/OWNURL", Access: core.Access{core.Group("slack", "G"), hr},
		Body: "Holidays of gardeners: OWNBODY, see https://files.example/elsewhere."},
		core.Document{ID: "web/holidays", Title: "Open", URL: "https://www.example/holidays", Access: core.Access{core.Public}, Body: "Holidays of gardeners are ADVERTISED, see https://www.example/more."})
	direct := place(core.PlaceDirect, "D")
	secret := w.ask(core.Question{Text: "salaries managers", Viewer: boss, Place: direct})
	direct.Thread = "another"
	open := w.ask(core.Question{Text: "gardeners holidays", Viewer: boss, Place: direct})
	has(t, "the private answer", open.answer.Text, "](https://files.example/OWNURL)", "ADVERTISED", "https://www.example/more")
	channel := place(core.PlacePublic, "C")
	guests := place(core.PlaceGuests, "G")
	guests.Own = []core.Principal{core.Group("slack", "G")}
	for _, row := range []struct {
		name    string
		turn    string
		by      core.Viewer
		to      core.Place
		kind    core.Kind // of the error
		refused []string
		has     []string
		lacks   []string
	}{
		{"a document is closed to the channel", secret.id, boss, channel, core.KindDenied, []string{"Salaries TITLECANARY"}, nil, nil},
		{"several are closed to guests", secret.id, boss, guests, core.KindDenied, []string{"Levels of managers", "Salaries TITLECANARY"}, nil, nil},
		{"somebody else shares", open.id, bob, channel, core.KindDenied, nil, nil, nil},
		{"no such turn", "nope", boss, channel, core.KindNotFound, nil, nil, nil},
		{"a silent place", open.id, boss, place(core.PlaceConnect, "X"), core.KindDenied, nil, nil, nil},
		{"an unknown place", open.id, boss, place(core.PlaceUnknown, "U"), core.KindDenied, []string{"OWNTITLE"}, nil, nil},
		{"all may read it", open.id, boss, guests, "", nil, []string{"OWNBODY", "ADVERTISED", "[[1]](https://www.example/holidays)", "https://www.example/more"},
			[]string{"](https://files.example", "https://files.example/OWNURL", "https://files.example/elsewhere"}},
		{"a place of one reader", open.id, boss, place(core.PlaceDirect, "E"), core.KindInvalid, nil, nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, refused, err := w.desk.Share(t.Context(), row.turn, row.by, row.to)
			if core.KindOf(err) != row.kind || !slices.Equal(refused, row.refused) {
				t.Fatalf("refused %v, %v", refused, err)
			}
			if row.kind != "" && got.Text != "" {
				t.Errorf("an answer in spite of %v", err)
			}
			has(t, "the shared answer", got.Text, row.has...)
			lacks(t, "the shared answer", got.Text, row.lacks...)
			for _, c := range got.Citations {
				if strings.Contains(row.name, "all may") && (strings.Contains(c.Title, "OWN") || strings.Contains(c.URL, "OWN") || c.DocumentID == "files/own") {
					t.Errorf("citation %+v", c)
				}
			}
		})
	}
	e, ok := w.audited(secret.id, core.AuditShare)
	if !ok || e.Detail["outcome"] != "denied" || !slices.Contains(e.Documents, "hr/salaries") || e.Actor != "boss@example.com" {
		t.Errorf("audit %+v", e)
	}
	if e, ok = w.audited(open.id, core.AuditShare); !ok {
		t.Errorf("audit %+v", e)
	}
}

// What an answer repeats of an earlier one counts as its own.
func TestSharingLooksBehindTheThread(t *testing.T) {
	w := newWorld(t, parrot)
	w.put(library()...)
	direct := place(core.PlaceDirect, "D")
	w.ask(core.Question{Text: salaries, Viewer: boss, Place: direct})
	second := w.ask(core.Question{Text: "zzz", Viewer: boss, Place: direct}) // finds nothing and repeats the first
	has(t, "the second answer", second.answer.Text, "BODYCANARY")
	if len(second.answer.Citations) > 0 {
		t.Fatalf("it cites %+v", second.answer.Citations)
	}
	_, refused, err := w.desk.Share(t.Context(), second.id, boss, place(core.PlacePublic, "C"))
	if core.KindOf(err) != core.KindDenied || !slices.Contains(refused, "Salaries TITLECANARY") {
		t.Errorf("refused %v, %v", refused, err)
	}
	// Nor is it shared when the asker may not read it any more themselves.
	docs := library()
	docs[0].Access = core.Access{core.User("somebody@example.com")}
	w.put(docs[0])
	_, refused, err = w.desk.Share(t.Context(), second.id, boss, place(core.PlacePublic, "C"))
	if core.KindOf(err) != core.KindDenied || strings.Contains(strings.Join(refused, " "), "CANARY") || len(refused) == 0 {
		t.Errorf("refused %v, %v", refused, err)
	}
	if _, _, err := w.desk.Share(t.Context(), second.id, bob, place(core.PlacePublic, "C")); core.KindOf(err) != core.KindDenied {
		t.Error(err)
	}
}

// An answer of the channel is nobody's to share, and without knowing documents
// nothing is shared.
func TestOnlyPrivateAnswersAreShared(t *testing.T) {
	w := newWorld(t, parrot)
	w.put(library()...)
	public := w.ask(core.Question{Text: salaries, Viewer: boss, Place: place(core.PlacePublic, "C")})
	if _, _, err := w.desk.Share(t.Context(), public.id, boss, place(core.PlacePublic, "D")); core.KindOf(err) != core.KindDenied {
		t.Error(err)
	}
	private := w.ask(core.Question{Text: salaries, Viewer: bob, Place: place(core.PlaceDirect, "D")})
	blind := bot.NewDesk(bot.Options{Answerer: w.agent, Turns: w.ledger, NewID: w.id})
	defer func() {
		if err := blind.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if _, _, err := blind.Share(t.Context(), private.id, bob, place(core.PlacePublic, "C")); core.KindOf(err) != core.KindUnavailable {
		t.Error(err)
	}
}
