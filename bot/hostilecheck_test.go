package bot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model/modeltest"
	"github.com/footnote-bot/footnote/prompts"
)

// checkForged looks for our own frames, made by others.
func checkForged(t *testing.T, kind core.PlaceKind, got said) {
	t.Helper()
	for line := range strings.Lines(got.asked) {
		var chat modeltest.Chat
		if err := json.Unmarshal([]byte(line), &chat); err != nil {
			t.Fatal(err)
		}
		for _, m := range chat.Messages[1:] {
			opened := strings.Count(strings.ToLower(m.Content), "<"+prompts.Tag)
			if ours := strings.HasPrefix(m.Content, "<"+prompts.Tag+">") || m.Role == "user"; opened > 1 || opened == 1 && !ours {
				t.Errorf("%s: a reminder was forged in %q", kind, m.Content)
			}
		}
	}
}

// notifying is what a chat platform would send somebody a message for.
var notifying = regexp.MustCompile(`<[!@#]\w|<@&\d|<!subteam`)

// checkText reads the answer as a Markdown renderer would.
func checkText(t *testing.T, kind core.PlaceKind, a core.Answer, known map[string]bool) {
	t.Helper()
	source := []byte(a.Text)
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	address := func(target, what string) {
		plain, err := url.QueryUnescape(target)
		switch {
		case target == "": // a label whose definition lost its address
		case err == nil && strings.Contains(plain, spoken), strings.Contains(target, spoken):
			t.Errorf("%s: %s carries the question: %s", kind, what, target)
		case !strings.HasPrefix(target, "http://") && !strings.HasPrefix(target, "https://"):
			t.Errorf("%s: %s opens %s", kind, what, target)
		case kind == core.PlaceUnknown:
			t.Errorf("%s: %s is live where none may be: %s", kind, what, target)
		case !known[target] && !known[strings.NewReplacer("%28", "(", "%29", ")").Replace(target)] && !shown(a, target):
			t.Errorf("%s: %s is of nowhere: %s", kind, what, target)
		}
	}
	var prose strings.Builder // all but code
	if err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil // renderers escape it
		case *ast.Text:
			prose.Write(n.Value(source))
		case *ast.Link:
			address(string(n.Destination), "a link")
		case *ast.AutoLink:
			address(string(n.URL(source)), "an address")
		case *ast.Image:
			t.Errorf("%s: an image loads %s", kind, n.Destination)
		case *ast.RawHTML, *ast.HTMLBlock:
			t.Errorf("%s: raw HTML in %q", kind, a.Text)
		}
		return ast.WalkContinue, nil
	}); err != nil {
		t.Fatal(err)
	}
	if found := notifying.FindString(prose.String()); found != "" {
		t.Errorf("%s: the answer notifies with %s", kind, found)
	}
	for _, c := range a.Citations {
		if c.URL != "" && kind == core.PlaceUnknown {
			t.Errorf("%s: citation %+v", kind, c)
		}
	}
	checkTerminal(t, a)
}

// shown tells whether the target is that of a citation, as it stands in a link.
func shown(a core.Answer, target string) bool {
	escape := strings.NewReplacer("(", "%28", ")", "%29", " ", "%20", "<", "%3C", ">", "%3E", `"`, "%22", "`", "%60", `\`, "%5C")
	return slices.ContainsFunc(a.Citations, func(c core.Citation) bool { return c.URL != "" && escape.Replace(c.URL) == target })
}

// replay is an answerer that gives an answer that is there already.
type replay struct{ answer core.Answer }

func (r replay) Answer(_ context.Context, _ core.Question, emit func(core.Event)) (core.Turn, error) {
	emit(core.TextDelta{Delta: r.answer.Text})
	return core.Turn{Answer: r.answer}, nil
}

// checkTerminal shows the answer in the console.
func checkTerminal(t *testing.T, a core.Answer) {
	t.Helper()
	var out bytes.Buffer
	screen := console.Screen{Out: &out, Err: &out}
	if _, err := screen.Ask(t.Context(), replay{a}, core.Question{}); err != nil {
		t.Fatal(err)
	}
	if i := strings.IndexFunc(out.String(), func(r rune) bool {
		return r != '\n' && r != '\t' && r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	}); i >= 0 {
		t.Errorf("the terminal gets %q", out.String()[i:min(out.Len(), i+8)])
	}
}

// footnote is a citation as we write it.
var footnote = regexp.MustCompile(`(?:^|[^\\])\[\[\d+\]\]\(([^)]*)\)`)
