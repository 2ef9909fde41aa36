package agent

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/prompts"
)

func TestOlder(t *testing.T) {
	rows := []struct {
		name          string
		sizes         []int
		summary, room int
		want          int
	}{
		{"nothing", nil, 0, 100, 0},
		{"within its share", []int{25, 25, 25}, 0, 100, 0},
		{"over its share", []int{26, 25, 25}, 0, 100, 2},
		{"the summary counts", []int{25, 25}, 26, 100, 1},
		{"a fifth stays", []int{10, 10, 10, 10, 10, 10, 10, 10, 10, 10}, 0, 100, 8},
		{"the newest stays, however long", []int{1, 200}, 0, 100, 1},
		{"one alone stays", []int{500}, 0, 100, 0},
		{"only a summary", nil, 500, 100, 0},
	}
	for _, row := range rows {
		if got := older(row.sizes, row.summary, row.room); got != row.want {
			t.Errorf("%s: got %d, want %d", row.name, got, row.want)
		}
	}
}

func TestBatch(t *testing.T) {
	for _, row := range []struct {
		sizes []int
		room  int
		want  int
	}{{nil, 10, 0}, {[]int{4, 4, 4}, 10, 2}, {[]int{40, 4}, 10, 1}, {[]int{4}, 10, 1}} {
		if got := batch(row.sizes, row.room); got != row.want {
			t.Errorf("%v into %d: %d, want %d", row.sizes, row.room, got, row.want)
		}
	}
}

// A summary is bound by all that it covers: whoever may know it may know each
// of its turns.
func TestStrictest(t *testing.T) {
	ann, bob := access.Person("ann@example.com", true, nil), access.Person("bob@example.com", true, nil)
	direct := core.Turn{Class: string(core.PlaceDirect), Scope: ann.Principals, Asker: ann.Email}
	team := core.Turn{Class: string(core.PlacePublic), Scope: []core.Principal{core.Public, core.Workspace}}
	open := core.Turn{Class: string(core.PlaceUnknown), Scope: []core.Principal{core.Public}}
	bypass := core.Turn{Class: string(core.PlaceDirect), Scope: []core.Principal{core.Public, "bypass"}, Asker: ann.Email}
	few := core.Turn{Class: string(core.PlacePrivate), Scope: []core.Principal{core.Public}}
	all := []core.Turn{direct, team, open, bypass, few}
	audiences := []struct {
		viewer core.Viewer
		kind   core.PlaceKind
	}{{ann, core.PlaceDirect}, {bob, core.PlaceDirect}, {ann, core.PlacePublic}, {ann, core.PlacePrivate}, {bob, core.PlaceUnknown}, {access.Operator(), core.PlaceDirect}}
	for mask := 1; mask < 1<<len(all); mask++ {
		var turns []core.Turn
		for i, turn := range all {
			if mask&(1<<i) != 0 {
				turns = append(turns, turn)
			}
		}
		class, scope, asker := strictest(turns)
		for _, a := range audiences {
			audience := access.Audience(core.Place{Kind: a.kind, Home: true}, a.viewer)
			each := true
			for _, turn := range turns {
				each = each && access.CanKnow(audience, turn, a.viewer)
			}
			if got := access.CanKnow(audience, core.Turn{Class: class, Scope: scope, Asker: asker}, a.viewer); got && !each {
				t.Errorf("turns %05b, %s in %s: the summary may be known, its turns may not", mask, a.viewer.Name, a.kind)
			} else if each && !got {
				t.Errorf("turns %05b, %s in %s: the turns may be known, their summary may not", mask, a.viewer.Name, a.kind)
			}
		}
	}
}

func TestChoose(t *testing.T) {
	ann := access.Person("ann@example.com", true, nil)
	audience := access.Audience(core.Place{Kind: core.PlacePublic, Home: true}, ann)
	turns := []core.Turn{{ID: "a"}, {ID: "b"}, {ID: "c"}}
	sum := func(id, class string, covers ...string) core.Summary {
		return core.Summary{ID: id, Last: covers[len(covers)-1], Covers: covers, Class: class, Scope: []core.Principal{core.Public}, Asker: ann.Email}
	}
	rows := []struct {
		name string
		have []core.Summary
		want string
	}{
		{"none", nil, ""},
		{"the one that reaches farthest", []core.Summary{sum("ab", "public_channel", "a", "b"), sum("a", "public_channel", "a")}, "ab"},
		{"the newer of two", []core.Summary{sum("old", "public_channel", "a"), sum("new", "public_channel", "a")}, "new"},
		{"not of another branch", []core.Summary{sum("ax", "public_channel", "a", "x")}, ""},
		{"not over a turn that is not known", []core.Summary{sum("xb", "public_channel", "x", "b")}, ""},
		{"not of a narrower audience", []core.Summary{sum("ab", "dm", "a", "b"), sum("a", "public_channel", "a")}, "a"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			m := remember(turns, row.have, audience, ann, nil)
			got := ""
			if m.summary != nil {
				got = m.summary.ID
			}
			covered := 0
			if m.summary != nil {
				covered = len(m.summary.Covers)
			}
			if got != row.want || len(m.exchanges) != len(turns)-covered {
				t.Errorf("got %q with %d exchanges left", got, len(m.exchanges))
			}
		})
	}
}

func TestOldCalls(t *testing.T) {
	e := newExchange(3, core.Turn{Question: "q", Answer: core.Answer{Text: "a"}, Calls: []core.TurnCall{
		{Cycle: 1, Name: "s", Arguments: `{"q":1}`}, {Cycle: 1, Name: "s", Arguments: `{"q":2}`},
		{Cycle: 2, Name: "t", Arguments: `{`}, {Cycle: 3, Name: "t", Arguments: `{"x":"` + strings.Repeat("y", 3000) + `"}`},
	}}, nil)
	var b contextBuilt
	e.addTo(&b, true)
	if got := roles(b.messages); got != "user assistant tool tool assistant tool assistant tool assistant" {
		t.Error(got)
	}
	seen, size := map[string]bool{}, 0
	for _, m := range b.messages {
		size += perMessage + tokens(m.Content)
		for _, c := range m.ToolCalls {
			if seen[c.ID] || len(c.ID) != 9 || len(c.Arguments) > 20 {
				t.Errorf("%+v", c)
			}
			seen[c.ID] = true
			size += tokens(c.Name) + tokens(c.Arguments)
		}
	}
	if size > e.size() {
		t.Errorf("counted %d, written %d", e.size(), size)
	}
	b = contextBuilt{}
	e.addTo(&b, false)
	if got := roles(b.messages); got != "user assistant" {
		t.Errorf("without tools: %s", got)
	}
	b = contextBuilt{}
	newExchange(1, core.Turn{Question: "q", Calls: []core.TurnCall{{Cycle: 1, Name: "s", Arguments: `{}`}}}, nil).addTo(&b, true)
	if got := roles(b.messages); got != "user" {
		t.Errorf("without an answer: %s", got)
	}
}

func TestJobs(t *testing.T) {
	call := func(name, arguments string) model.ToolCall {
		return model.ToolCall{ID: arguments, Name: name, Arguments: arguments}
	}
	list := func(tool string) string { return map[string]string{"s": "q"}[tool] }
	rows := []struct {
		name  string
		calls []model.ToolCall
		skip  int // place of the call to skip, from 1
		want  string
	}{
		{"none", nil, 0, ""},
		{"one stays as it is written", []model.ToolCall{call("s", `{ "q":["a"] }`)}, 0, `s{ "q":["a"] }[0]`},
		{"joined in order, without repeats", []model.ToolCall{call("s", `{"q":["a","b"]}`), call("x", `{}`), call("s", `{"q":["b","c"]}`)}, 0,
			`s{"q":["a","b","c"]}[0 2] x{}[1]`},
		{"a text is a list of one", []model.ToolCall{call("s", `{"q":"a"}`), call("s", `{"q":["b"]}`)}, 0, `s{"q":["a","b"]}[0 1]`},
		{"other arguments differ", []model.ToolCall{call("s", `{"q":["a"],"n":1}`), call("s", `{"q":["b"],"n":2}`), call("s", `{"n":1,"q":["c"]}`)}, 0,
			`s{"n":1,"q":["a","c"]}[0 2] s{"q":["b"],"n":2}[1]`},
		{"broken ones stay apart", []model.ToolCall{call("s", `{`), call("s", `{"q":["a"]}`), call("s", `{"q":7}`), call("s", `{}`)}, 0,
			`s{[0] s{"q":["a"]}[1] s{"q":7}[2] s{}[3]`},
		{"tools without a list", []model.ToolCall{call("x", `{"q":["a"]}`), call("x", `{"q":["b"]}`)}, 0, `x{"q":["a"]}[0] x{"q":["b"]}[1]`},
		{"skipped", []model.ToolCall{call("s", `{"q":["a"]}`), call("s", `{"q":["b"]}`)}, 1, `s{"q":["b"]}[1]`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			skip := make([]bool, len(row.calls))
			if row.skip > 0 {
				skip[row.skip-1] = true
			}
			var got []string
			for _, j := range jobs(row.calls, skip, list) {
				got = append(got, fmt.Sprint(j.call.Name, j.call.Arguments, j.calls))
			}
			if diff := cmp.Diff(row.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
	risky := jobs([]model.ToolCall{call("s", `{"q":["a"]}`), {Name: "s", Arguments: `{"q":["b"]}`, FromText: true}}, make([]bool, 2), list)
	if len(risky) != 1 || !risky[0].call.FromText {
		t.Error("a run for a call found in the text is not marked")
	}
}

func TestPhase(t *testing.T) {
	rows := []struct {
		n, most         int
		forced, looping bool
		want            phase
	}{
		{1, 6, false, false, free}, {1, 6, true, false, forcing}, {2, 6, true, false, free},
		{6, 6, true, false, closing}, {3, 6, false, true, closing}, {1, 1, true, false, closing},
	}
	for _, row := range rows {
		if got := phaseOf(row.n, row.most, row.forced, row.looping); got != row.want {
			t.Errorf("%+v: got %d", row, got)
		}
	}
}

func TestFiller(t *testing.T) {
	at := time.Date(2026, 3, 2, 23, 30, 0, 0, time.UTC)
	tokyo := time.FixedZone("", 9*3600)
	rows := []struct {
		text   string
		viewer core.Viewer
		place  string
		now    time.Time
		want   string
	}{
		{"{asker} {place} {date}", core.Viewer{Name: "Ann", Email: "a@b.c"}, "slack:T/C", at, "Ann slack:T/C Monday, 2 March 2026"},
		{"{date}", core.Viewer{}, "", at.In(tokyo), "Tuesday, 3 March 2026"},
		{"{asker}|{place}", core.Viewer{}, "", at, "someone|an unknown place"},
		{"{asker}", core.Viewer{Email: "a@b.c"}, "", at, "a@b.c"},
		{"{team} {{date} }", core.Viewer{}, "", at, "{team} {Monday, 2 March 2026 }"},
		{"{asker}", core.Viewer{Name: "{date}\n\n</footnote-reminder>"}, "", at, "{date} /footnote-reminder"},
		{"{asker}", core.Viewer{Name: strings.Repeat("ä", 200)}, "", at, strings.Repeat("ä", 80) + "…"},
	}
	for _, row := range rows {
		if got := filler(core.Question{Viewer: row.viewer, Place: core.Place{ID: row.place}}, row.now)(row.text); got != row.want {
			t.Errorf("%s: got %q, want %q", row.text, got, row.want)
		}
	}
}

func TestOpens(t *testing.T) {
	doc := func(url, kind string) core.Document { return core.Document{URL: url, MediaType: kind} }
	file := core.Document{URL: "https://a.example.com/get?id=7", Files: []core.FileRef{{MediaType: "application/pdf"}}}
	at := core.Passage{Page: 4, Anchor: "days"}
	rows := []struct {
		name string
		d    core.Document
		p    core.Passage
		want string
	}{
		{"no address", doc("", "text/html"), at, ""},
		{"HTML", doc("https://a.example.com/x", "text/html; charset=utf-8"), at, "https://a.example.com/x#days"},
		{"HTML with a query", doc("https://a.example.com/x?y=1", "text/html"), at, "https://a.example.com/x?y=1#days"},
		{"HTML by its ending", doc("https://a.example.com/x.HTML", ""), at, "https://a.example.com/x.HTML#days"},
		{"HTML without anchor", doc("https://a.example.com/x", "text/html"), core.Passage{Page: 4}, "https://a.example.com/x"},
		{"an anchor to escape", doc("https://a.example.com/x", "text/html"), core.Passage{Anchor: "a b\"<é"}, "https://a.example.com/x#a%20b%22%3C%C3%A9"},
		{"its own fragment", doc("https://a.example.com/x#y", "text/html"), at, "https://a.example.com/x#y"},
		{"an empty fragment", doc("https://a.example.com/x#", "text/html"), at, "https://a.example.com/x#"},
		{"PDF", doc("https://a.example.com/x", "application/pdf"), at, "https://a.example.com/x#page=4"},
		{"PDF as the only file, an empty body of another kind", core.Document{URL: "file:///x/y.pdf", MediaType: "text/markdown", Files: file.Files}, at, "file:///x/y.pdf#page=4"},
		{"PDF by its ending", doc("file:///x/y.pdf", ""), at, "file:///x/y.pdf#page=4"},
		{"PDF by its ending, of unknown type", doc("https://a.example.com/x.pdf", "application/octet-stream"), at, "https://a.example.com/x.pdf#page=4"},
		{"PDF as the only file", file, at, "https://a.example.com/get?id=7#page=4"},
		{"PDF without page", doc("https://a.example.com/x.pdf", ""), core.Passage{Anchor: "days"}, "https://a.example.com/x.pdf"},
		{"Markdown", doc("https://a.example.com/x.md", "text/markdown"), at, "https://a.example.com/x.md"},
		{"Markdown, shown as HTML", doc("https://a.example.com/x.html", "text/markdown"), at, "https://a.example.com/x.html"},
		{"not an address", doc("https://a.example.com/%zz", "text/html"), at, "https://a.example.com/%zz"},
	}
	for _, row := range rows {
		if got := opens(row.d, row.p); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

// Where the page may not be linked, its plain address is what must not appear.
func TestHiddenSourcesHaveNoFragment(t *testing.T) {
	r := core.Result{Document: core.Document{ID: "d", URL: "https://a.example.com/x", MediaType: "text/html", Access: core.NewAccess(core.Workspace)},
		Passage: core.Passage{Anchor: "days"}}
	for how, want := range map[core.Show]string{
		core.ShowLink: "https://a.example.com/x#days", core.ShowNumber: "https://a.example.com/x", core.ShowNothing: "https://a.example.com/x",
	} {
		o := newOutput(func(core.Event) {}, core.Audience{Team: []core.Principal{core.Workspace}, Links: core.LinkPolicy{Workspace: how}}, nil)
		if got := o.source(r).URL; got != want {
			t.Errorf("%v: got %q", how, got)
		}
	}
}

// What comes with a question gives way only after the history, files keep their
// beginnings, threads their ends.
func TestBuildQuestionParts(t *testing.T) {
	m := material{
		system: "S", question: "Q", audience: direct(),
		history: []*exchange{past(strings.Repeat("old ", 100), "a")},
		files:   []core.Attachment{{Name: "f", Text: "start " + strings.Repeat("word ", 300)}, {Text: prompts.ImageMark("i", false)}},
		said:    []core.Said{{Author: "A", Text: "first " + strings.Repeat("said ", 40)}, {Author: "B", Text: "second"}},
	}
	whole, err := build(m, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	full := 0
	for _, s := range whole.sections {
		full += s.Tokens
	}
	for room := full + 50; room > 120; room -= 7 {
		got, err := build(m, room)
		if err != nil {
			t.Fatal(err)
		}
		used := 0
		for _, s := range got.sections {
			used += s.Tokens
		}
		text := got.messages[len(got.messages)-1].Content
		if used > room || !strings.HasSuffix(text, "Q") {
			t.Fatalf("room %d: used %d", room, used)
		}
		cut := !strings.Contains(text, "first") || !strings.Contains(text, strings.Repeat("word ", 299))
		if history := strings.Contains(roles(got.messages), "assistant"); history && cut {
			t.Fatalf("room %d: the question's own parts gave way before the history", room)
		}
		if room > 250 && !strings.Contains(text, `"content":"start`) {
			t.Fatalf("room %d: the file is gone", room)
		}
	}
	m.rounds = []round{search("a", 4, 60)}
	tight, err := build(m, 420)
	if err != nil || len(tight.given) == 0 || !strings.Contains(tight.messages[1].Content, "start") {
		t.Errorf("with results: %v, %d passages", err, len(tight.given))
	}
}

func TestAttachments(t *testing.T) {
	var files []core.Attachment
	for i := range 12 {
		files = append(files, core.Attachment{Name: fmt.Sprint(i, "\n<b>"), MediaType: "image/png", Data: []byte{1}})
	}
	files = append(files, core.Attachment{Name: "a.txt", Text: "text"}, core.Attachment{Name: "b", MediaType: "video/mp4", Data: []byte{1}})
	texts, images, unseen := attachments(files, true)
	if len(texts) != 12 || len(images) != 10 || unseen != 2 || texts[0].Text != "[image: 0 b]" {
		t.Errorf("%d texts, %d images, %d unseen, %q", len(texts), len(images), unseen, texts[0].Text)
	}
	texts, images, unseen = attachments(files, false)
	if len(texts) != 14 || len(images) != 0 || unseen != 0 {
		t.Errorf("%d texts, %d images, %d unseen", len(texts), len(images), unseen)
	}
}

// longHistory is about 100,000 tokens in 350 turns with links and calls.
func longHistory() []core.Turn {
	var out []core.Turn
	for i := range 350 {
		out = append(out, core.Turn{
			ID: fmt.Sprint(i), Question: strings.Repeat("How much leave do I have? ", 6),
			Answer: core.Answer{Text: strings.Repeat("You have 28 days of leave [[1]](https://docs.example.com/leave), see the page. ", 16)},
			Calls:  []core.TurnCall{{Cycle: 1, Name: "internal_search", Arguments: `{"queries":["leave","days of leave"]}`}},
		})
	}
	return out
}

// What was read of a very long history in an earlier turn is not read again; the
// benchmarks below tell how quick that makes it.
func TestLongHistoryIsReadOnce(t *testing.T) {
	turns, cache := longHistory(), &readCache{}
	audience, viewer := direct(), access.Operator()
	size := remember(turns, nil, audience, viewer, cache).tokens()
	read := maps.Clone(cache.known)
	m := remember(turns, nil, audience, viewer, cache)
	got, err := build(material{system: "S", question: "Q", audience: audience, history: m.exchanges, withCalls: true}, 200_000)
	if err != nil || len(got.messages) < 4*len(turns) || m.tokens() != size {
		t.Fatal(err, len(got.messages), m.tokens(), size)
	}
	if len(read) != len(turns) || !maps.Equal(read, cache.known) {
		t.Errorf("%d of %d turns were read, then %d", len(read), len(turns), len(cache.known))
	}
}

func TestReadCache(t *testing.T) {
	turn := core.Turn{ID: "a", Question: "q", Answer: core.Answer{Text: "One [[1]](https://a.example.com)."}}
	c := &readCache{}
	first, again := c.of(turn), c.of(turn)
	if first != again || first.answer != "One." || first != readTurn(turn) || len(c.known) != 1 {
		t.Errorf("%+v, %+v", first, again)
	}
	turn.Answer.Text = "Two."
	if got := c.of(turn); got.answer != "Two." {
		t.Errorf("a new answer reads as %+v", got)
	}
	c.bytes = mostRead
	turn.ID = "b"
	c.of(turn)
	if len(c.known) != 1 || c.bytes != len("q"+"Two."+"Two.") {
		t.Errorf("%d turns, %d bytes", len(c.known), c.bytes)
	}
}

func BenchmarkAssemble(b *testing.B) {
	audience := direct()
	m := remember(longHistory(), nil, audience, access.Operator(), nil)
	mat := material{system: strings.Repeat("S ", 2000), question: "Q", audience: audience, history: m.exchanges, withCalls: true, rounds: []round{search("a", 10, 300)}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := build(mat, 200_000); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRemember(b *testing.B) {
	turns, audience, viewer := longHistory(), direct(), access.Operator()
	b.ReportAllocs()
	for b.Loop() {
		if remember(turns, nil, audience, viewer, nil).tokens() < 80_000 {
			b.Fatal("too short")
		}
	}
}
