package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/prompts"
)

// One row for each row of the decision table.
func TestReminders(t *testing.T) {
	rows := []struct {
		name string
		in   reminderState
		want []string
	}{
		{"1 an image was made", reminderState{imageMade: true, author: "Be kind.", cited: true, pages: true, canOpen: true},
			[]string{prompts.DescribeImages()}},
		{"1 also in the last cycle", reminderState{imageMade: true, last: true}, []string{prompts.DescribeImages()}},
		{"2 pages were found and can be opened", reminderState{pages: true, canOpen: true, author: "Be kind.", cited: true},
			[]string{prompts.OpenPages()}},
		{"2 not without a tool that opens", reminderState{pages: true, cited: true}, []string{prompts.CiteNow()}},
		{"2 not in the last cycle", reminderState{pages: true, canOpen: true, last: true}, []string{prompts.LastCycle()}},
		{"3a the owner's reminder", reminderState{author: "Be kind."}, []string{"Be kind."}},
		{"3b last cycle", reminderState{last: true}, []string{prompts.LastCycle()}},
		{"3c a citeable tool was called", reminderState{cited: true}, []string{prompts.CiteNow()}},
		{"3d files were made", reminderState{files: []string{"/f/1"}}, []string{prompts.LinkFiles([]string{"/f/1"})}},
		{"3a to 3d in this order", reminderState{author: "Be kind.", last: true, cited: true, files: []string{"/f/1"}},
			[]string{"Be kind.", prompts.LastCycle(), prompts.CiteNow(), prompts.LinkFiles([]string{"/f/1"})}},
		{"a fixed language after other parts", reminderState{cited: true, language: "de"},
			[]string{prompts.CiteNow(), prompts.AnswerIn("de")}},
		{"a fixed language alone needs no reminder", reminderState{language: "de"}, nil},
		{"4 nothing of the above", reminderState{}, nil},
		{"extra, images cut", reminderState{unseen: 3}, []string{prompts.ImagesLeftOut(3)}},
		{"extra, after all others", reminderState{cited: true, unseen: 1}, []string{prompts.CiteNow(), prompts.ImagesLeftOut(1)}},
		{"extra, after row 1", reminderState{imageMade: true, unseen: 1}, []string{prompts.DescribeImages(), prompts.ImagesLeftOut(1)}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, reminders(row.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRepeats(t *testing.T) {
	call := func(name, arguments string) model.ToolCall { return model.ToolCall{Name: name, Arguments: arguments} }
	past := []round{{calls: []model.ToolCall{call("a", `{"q":"x","n":1}`)}}}
	rows := []struct {
		name  string
		calls []model.ToolCall
		want  []bool
		all   bool
	}{
		{"same text", []model.ToolCall{call("a", `{"q":"x","n":1}`)}, []bool{true}, true},
		{"other order and blanks", []model.ToolCall{call("a", `{ "n": 1, "q": "x" }`)}, []bool{true}, true},
		{"other value", []model.ToolCall{call("a", `{"q":"y","n":1}`)}, []bool{false}, false},
		{"other tool", []model.ToolCall{call("b", `{"q":"x","n":1}`)}, []bool{false}, false},
		{"one of two", []model.ToolCall{call("a", `{"q":"x","n":1}`), call("a", `{"q":"z"}`)}, []bool{true, false}, false},
		{"twice in one reply", []model.ToolCall{call("c", `{}`), call("c", ` {} `)}, []bool{false, true}, false},
		{"broken arguments twice", []model.ToolCall{call("c", `{`), call("c", `{`)}, []bool{false, true}, false},
		{"no calls", nil, []bool{}, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got := repeats(past, row.calls)
			if diff := cmp.Diff(row.want, got); diff != "" || all(got) != row.all {
				t.Errorf("all %v, %s", all(got), diff)
			}
		})
	}
}

func TestWithOwnIDs(t *testing.T) {
	past := []round{{calls: []model.ToolCall{{ID: "call_1"}, {ID: "r02c00003"}}}}
	var got []string
	for _, c := range withOwnIDs(past, []model.ToolCall{{ID: "call_1"}, {ID: "own"}, {ID: ""}, {ID: "own"}}) {
		got = append(got, c.ID)
	}
	if diff := cmp.Diff([]string{"r02c00001", "own", "r02c00007", "r02c00004"}, got); diff != "" {
		t.Error(diff)
	}
}

func direct() core.Audience {
	return access.Audience(core.Place{Kind: core.PlaceDirect}, access.Operator())
}

// search makes a round with one call that found n passages of the given size.
func search(id string, n, words int) round {
	var docs []given
	for i := range n {
		docs = append(docs, given{i + 1, core.Result{
			Document: core.Document{ID: fmt.Sprint(id, i), Title: "T", Access: core.NewAccess(core.Workspace)},
			Passage:  core.Passage{Text: strings.TrimSpace(strings.Repeat("word ", words))},
		}})
	}
	return round{calls: []model.ToolCall{{ID: id, Name: "internal_search", Arguments: `{}`}}, results: []outcome{{docs: docs}}}
}

func past(question, answer string) *exchange {
	return newExchange(0, core.Turn{Question: question, Answer: core.Answer{Text: answer}}, nil)
}

func roles(messages []model.Message) string {
	var out []string
	for _, m := range messages {
		out = append(out, string(m.Role))
	}
	return strings.Join(out, " ")
}

func TestBuildOrder(t *testing.T) {
	m := material{
		system: "S", instructions: "I", question: "Q", reminder: "R", audience: direct(),
		history: []*exchange{past("old question", "old answer"), past("unanswered", "")},
		rounds:  []round{search("a", 1, 5), search("b", 1, 5)},
	}
	got, err := build(m, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	if want := "system user assistant user assistant tool assistant tool user"; roles(got.messages) != want {
		t.Errorf("got %s, want %s", roles(got.messages), want)
	}
	// Neighbours of one role are one message, in order.
	want := "unanswered\n\n" + prompts.Instructions("I") + "\n\nQ"
	if diff := cmp.Diff(want, got.messages[3].Content); diff != "" {
		t.Error(diff)
	}
	if last := got.messages[len(got.messages)-1]; last.Content != "R" {
		t.Errorf("last is %q", last.Content)
	}
	again, err := build(m, 10_000)
	if diff := cmp.Diff(got.messages, again.messages); diff != "" || err != nil {
		t.Errorf("building changed the material: %v %s", err, diff)
	}
}

// What gives way as the room shrinks: history first, from the oldest; then
// passages from the least relevant end; never the question.
func TestBuildShrinks(t *testing.T) {
	m := material{
		system: "S", question: "Q", audience: direct(),
		history: []*exchange{past(strings.Repeat("old ", 50), "a1"), past("newer", "a2")},
		rounds:  []round{search("a", 4, 60), search("b", 2, 60)},
	}
	whole, err := build(m, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	full := 0
	for _, s := range whole.sections {
		full += s.Tokens
	}
	oldest := 2*perMessage + tokens(m.history[0].question) + tokens("a1")
	smallest := 0
	for room := full; room > 0; room -= 5 {
		got, err := build(m, room)
		if err != nil {
			if core.KindOf(err) != core.KindTooLarge {
				t.Fatalf("room %d: %v", room, err)
			}
			smallest = room
			break
		}
		used := 0
		for _, s := range got.sections {
			used += s.Tokens
		}
		if used > room {
			t.Fatalf("room %d: used %d", room, used)
		}
		if room >= full-oldest && len(got.given) < 6 {
			t.Errorf("room %d: passages gave way before the oldest exchange", room)
		}
		if room > 200 && len(got.given) < 2 {
			t.Errorf("room %d: only %d passages", room, len(got.given))
		}
		if n := strings.Count(roles(got.messages), "tool"); n != 2 {
			t.Fatalf("room %d: %d results for 2 calls", room, n)
		}
		if last := got.messages[len(got.messages)-1]; last.Content == "" {
			t.Fatalf("room %d: an empty result", room)
		}
	}
	if smallest == 0 || smallest > 80 {
		t.Errorf("the question alone was refused at %d tokens", smallest)
	}
}

func TestShrinkKeepsTheBest(t *testing.T) {
	o := search("a", 5, 60).results[0]
	got, dropped := o.shrink(220, direct())
	if len(got.docs)+dropped != 5 || len(got.docs) < 1 || got.docs[0].number != 1 || !strings.Contains(got.note, "left out") {
		t.Errorf("kept %d, dropped %d, note %q", len(got.docs), dropped, got.note)
	}
	// A single passage is shortened, and what the citation shows is what the
	// model saw.
	one, _ := o.shrink(80, direct())
	text := one.docs[0].result.Passage.Text
	if len(one.docs) != 1 || !strings.HasSuffix(text, "…") || !strings.Contains(one.write(direct()), text) {
		t.Errorf("got %+v", one)
	}
	if o.docs[0].result.Passage.Text == text {
		t.Error("the original was changed")
	}
}

func TestTokensAndCut(t *testing.T) {
	for _, text := range []string{"", "a", "plain words here", "übergrößen", "中文字符测试", strings.Repeat("mixed 混合 ", 40)} {
		for most := 1; most < 40; most++ {
			if got := cut(text, most); tokens(got) > most || !strings.HasPrefix(text, strings.TrimSuffix(got, "…")) {
				t.Errorf("cut(%q, %d) = %q of %d tokens", text, most, got, tokens(got))
			}
		}
	}
}

func TestShares(t *testing.T) {
	for _, row := range []struct {
		sizes []int
		room  int
		want  []int
	}{
		{[]int{10, 20}, 30, []int{10, 20}},
		{[]int{100, 300}, 200, []int{50, 150}},
		{[]int{100, 300}, 0, []int{0, 0}},
		{[]int{100}, -5, []int{0}},
		{nil, 10, []int{}},
	} {
		if diff := cmp.Diff(row.want, shares(row.sizes, row.room)); diff != "" {
			t.Errorf("%v into %d: %s", row.sizes, row.room, diff)
		}
	}
}

func TestShowLevels(t *testing.T) {
	g := given{4, core.Result{
		Document: core.Document{ID: "hr/secret plan.md", Source: "hr", Title: "Layoffs", URL: "https://x.example.com/layoffs",
			Authors: []string{"Boss"}, Meta: map[string]string{"file": "layoffs.md"}, Access: core.NewAccess(core.Workspace)},
		Passage: core.Passage{Heading: "Layoffs › Q3", Page: 2, Text: "body"},
	}}
	const bare = `{"document":4,"content":"body"}`
	const linked = `{"document":4,"url":"https://x.example.com/layoffs","content":"body"}`
	named := func(url string) string {
		return `{"document":4,"title":"Layoffs","authors":["Boss"],"source":"hr",` + url +
			`"section":"Layoffs › Q3","page":2,"metadata":{"file":"layoffs.md"},"content":"body"}`
	}
	const address = `"url":"https://x.example.com/layoffs",`
	for _, row := range []struct {
		show  core.Show
		list  core.SourceList
		holds core.Discretion
		want  string
		cite  core.Citation
	}{
		{core.ShowNothing, core.ListFull, core.ShowAsPlace, bare, core.Citation{}},
		{core.ShowNumber, core.ListNone, core.ShowAsPlace, bare, core.Citation{}},
		{core.ShowNumber, core.ListTitles, core.ShowAsPlace, bare, core.Citation{}},
		{core.ShowNumber, core.ListFull, core.ShowAsPlace, named(""), core.Citation{Title: "Layoffs", Page: 2}},
		{core.ShowLink, core.ListNone, core.ShowAsPlace, linked, core.Citation{URL: "https://x.example.com/layoffs", DocumentID: "hr/secret plan.md"}},
		{core.ShowLink, core.ListFull, core.ShowAsPlace, named(address), core.Citation{URL: "https://x.example.com/layoffs", DocumentID: "hr/secret plan.md", Title: "Layoffs", Page: 2}},
		{core.ShowLink, core.ListFull, core.NumberOnly, bare, core.Citation{}},
		{core.ShowLink, core.ListFull, core.NeverShown, bare, core.Citation{}},
	} {
		g.result.Document.Discretion = row.holds
		audience := core.Audience{Team: []core.Principal{core.Workspace}, Links: core.LinkPolicy{Workspace: row.show}, List: row.list}
		if got := compact(show(g, audience)); got != row.want {
			t.Errorf("%+v: got %s", row, got)
		}
		row.cite.Number, row.cite.Passage = 1, "body"
		if got := newOutput(nil, audience, nil).public(1, g); got != row.cite {
			t.Errorf("citation of %+v: got %+v", row, got)
		}
	}
}

func TestBlockquote(t *testing.T) {
	rows := []struct{ name, text, marker, want string }{
		{"plain", "One.\n\nTwo.", "[1]", "> One.\n>\n> Two. [1]"},
		{"no marker", "One.\r\nTwo.", "", "> One.\n> Two."},
		{"open fence is closed", "Run:\n```sh\nmake", "[1]", "> Run:\n> ```sh\n> make\n> ```\n>\n> [1]"},
		{"closed fence", "````\n```\n````", "[1]", "> ````\n> ```\n> ````\n>\n> [1]"},
		{"table", "| a |\n|---|\n| b |", "[1]", "> | a |\n> |---|\n> | b |\n>\n> [1]"},
		{"forged link", "See [[1]](https://evil.example.com).", "[1]", `> See \[[1]](https://evil.example.com). [1]`},
		{"forged definition", "[1]: https://evil.example.com", "[1]", `> \[1]: https://evil.example.com [1]`},
		{"code stays as it is", "```\na[0](x)\n```", "", "> ```\n> a[0](x)\n> ```"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, blockquote(row.text, row.marker)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWithoutMarkers(t *testing.T) {
	got := withoutMarkers(core.Answer{
		Text:      "Open at nine [[1]](https://a.example.com/x), closed [2]. Use `a[2]` or [3]. See [the page](https://b.example.com).",
		Citations: []core.Citation{{Number: 1, URL: "https://a.example.com/x"}, {Number: 3}},
	})
	if want := "Open at nine, closed [2]. Use `a[2]` or. See [the page](https://b.example.com)."; got != want {
		t.Errorf("got %q", got)
	}
}
