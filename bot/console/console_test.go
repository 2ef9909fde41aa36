package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// scripted answers every question with the same events.
type scripted struct {
	events []core.Event
	answer core.Answer
	err    error
	asked  []string
	wait   bool // for the context to be cancelled before the answer ends
}

func (s *scripted) Answer(ctx context.Context, q core.Question, emit func(core.Event)) (core.Turn, error) {
	s.asked = append(s.asked, q.Text)
	for _, e := range s.events {
		emit(e)
	}
	if s.wait {
		<-ctx.Done()
		s.answer.Stopped = true
	}
	return core.Turn{Answer: s.answer}, s.err
}

func deltas(pieces ...string) []core.Event {
	var out []core.Event
	for _, p := range pieces {
		out = append(out, core.TextDelta{Delta: p})
	}
	return out
}

func shown(t *testing.T, s Screen, a Answerer) (out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	s.Out, s.Err = &o, &e
	if _, err := s.Ask(t.Context(), a, core.Question{Text: "q"}); err != nil {
		t.Fatal(err)
	}
	return o.String(), e.String()
}

func TestAskShowsLinksAsNumbers(t *testing.T) {
	const url = "https://wiki.example/a_(b)"
	cited := core.Cited{Number: 1, URL: "https://wiki.example/a_%28b%29"}
	text := "Fourteen days [[1]](" + cited.URL + "), see [x](y) and [[2"
	answer := core.Answer{Citations: []core.Citation{{Number: 1, Title: "Refunds\n\x1b[31m", URL: url, Page: 3}}}
	want := "Fourteen days [1], see [x](y) and [[2\n\nSources\n[1] Refunds [31m, page 3\n    " + url + "\n"
	for _, size := range []int{1, 3, len(text)} {
		var pieces []string
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		events := append([]core.Event{cited}, deltas(pieces...)...)
		if out, _ := shown(t, Screen{}, &scripted{events: events, answer: answer}); out != want {
			t.Errorf("pieces of %d: got %q, want %q", size, out, want)
		}
	}
	out, _ := shown(t, Screen{OutTTY: true}, &scripted{events: append([]core.Event{cited}, deltas(text)...), answer: answer})
	if !strings.Contains(out, "\x1b]8;;"+cited.URL+"\x1b\\[1]\x1b]8;;\x1b\\, see") {
		t.Errorf("terminal hyperlink is missing in %q", out)
	}
}

func TestHostileTextCannotSteerTheTerminal(t *testing.T) {
	out, errs := shown(t, Screen{ErrTTY: true}, &scripted{
		events: append(deltas("a\x1b]0;owned\x07b\u202ec\u009b2Jd\x00\re\xff"), core.Noticed{Text: "n\x1b[2J"}),
		answer: core.Answer{Citations: []core.Citation{{Number: 1, Title: "t\x1b\\", URL: "https://x\x1b]8;;evil"}}},
	})
	for _, bad := range []string{"\x1b", "\x07", "\u202e", "\u009b", "\x00", "\r", "\xff"} {
		if strings.Contains(out+errs, bad) {
			t.Errorf("%q reached the terminal: %q %q", bad, out, errs)
		}
	}
}

func TestStatusIsWipedBeforeText(t *testing.T) {
	events := []core.Event{core.StatusChanged{Stage: "searching"}, core.TextDelta{Delta: "x"}, core.StatusChanged{Stage: "writing"}}
	if _, errs := shown(t, Screen{ErrTTY: true}, &scripted{events: events}); errs != "searching …\r\x1b[K" {
		t.Errorf("standard error = %q", errs)
	}
	if _, errs := shown(t, Screen{}, &scripted{events: events}); errs != "" {
		t.Errorf("without a terminal: standard error = %q", errs)
	}
}

func TestJSONIsOneObject(t *testing.T) {
	a := &scripted{events: deltas("x"), answer: core.Answer{Text: "x <b>", Mode: core.ModeQuotes, Citations: []core.Citation{}}}
	out, _ := shown(t, Screen{JSON: true}, a)
	var got core.Answer
	if err := json.Unmarshal([]byte(out), &got); err != nil || strings.Count(out, "\n") != 1 || got.Text != "x <b>" {
		t.Errorf("output %q: %v", out, err)
	}
	if !strings.Contains(out, `"citations":[]`) {
		t.Errorf("no citations must be an empty list: %s", out)
	}
}

func TestChatGoesOnAfterFailures(t *testing.T) {
	var out, errs bytes.Buffer
	bad := errors.New("no luck")
	a := &scripted{events: deltas("hello")}
	chat := Chat{
		Screen: Screen{Out: &out, Err: &errs},
		In:     strings.NewReader("one\n\n  two  \nthree\n/quit\nfour\n"),
		Ask: func(_ context.Context, text string) (core.Question, error) {
			if text == "two" {
				return core.Question{}, bad
			}
			return core.Question{Text: text}, nil
		},
	}
	if err := chat.Run(t.Context(), a); err != nil {
		t.Errorf("error %v: the last turn went well", err)
	}
	if got := strings.Join(a.asked, ","); got != "one,three" {
		t.Errorf("asked %s", got)
	}
	if errs.String() != "footnote: no luck\n" || out.String() != "hello\nhello\n" {
		t.Errorf("out %q, err %q", out.String(), errs.String())
	}
}

func TestInterruptStopsTheAnswerOnly(t *testing.T) {
	var out, errs bytes.Buffer
	a := &scripted{events: deltas("so far"), wait: true}
	chat := Chat{
		Screen:      Screen{Out: &out, Err: &errs},
		In:          strings.NewReader("one\ntwo\n"),
		Ask:         func(_ context.Context, text string) (core.Question, error) { return core.Question{Text: text}, nil },
		Interrupted: func(f func()) func() { go f(); return func() {} },
	}
	if err := chat.Run(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if out.String() != "so far\nso far\n" || strings.Count(errs.String(), "cut short") != 2 {
		t.Errorf("out %q, err %q", out.String(), errs.String())
	}
}

func TestOverlongLineIsAnError(t *testing.T) {
	chat := Chat{Screen: Screen{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, In: strings.NewReader(strings.Repeat("x", longestLine+1))}
	if err := chat.Run(t.Context(), &scripted{}); core.KindOf(err) != core.KindTooLarge {
		t.Errorf("error %v, want too_large", err)
	}
}

func TestOneNumberMayOpenSeveralPlaces(t *testing.T) {
	const text = "a [[1]](file:///x.html#a) b [[1]](file:///x.html#b) c [[2]](http://evil)"
	events := append([]core.Event{core.Cited{Number: 1, URL: "file:///x.html#a"}}, deltas(strings.Split(text, "")...)...)
	if out, _ := shown(t, Screen{}, &scripted{events: events}); out != "a [1] b [1] c [[2]](http://evil)\n" {
		t.Errorf("output %q", out)
	}
}

func TestInterruptAtThePromptEndsTheChat(t *testing.T) {
	in, feed := io.Pipe()
	defer feed.Close()
	ctx, cancel := context.WithCancel(t.Context())
	chat := Chat{Screen: Screen{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, In: in}
	done := make(chan error, 1)
	go func() { done <- chat.Run(ctx, &scripted{}) }()
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the chat waits for a line although it was interrupted")
	}
}

func TestWithdrawnAnswersAndOffersAreTold(t *testing.T) {
	out, errs := shown(t, Screen{}, &scripted{events: []core.Event{
		core.Cited{Number: 1}, core.TextDelta{Delta: "old [[1]](http"}, core.Withdrawn{Text: "Answering\x1b anew."},
		core.TextDelta{Delta: "new"}, core.Offered{Kind: "private", Text: "There is more."},
	}})
	if out != "old \n\nnew\n" || errs != "note: Answering anew.\nnote: There is more.\n" {
		t.Errorf("out %q, err %q", out, errs)
	}
}

func TestOffersStandOnALineOfTheirOwn(t *testing.T) {
	var both bytes.Buffer
	a := &scripted{events: []core.Event{core.TextDelta{Delta: "Nothing [here]"}, core.Offered{Kind: "private", Text: "There is more."}}}
	if _, err := (Screen{Out: &both, Err: &both}).Ask(t.Context(), a, core.Question{}); err != nil {
		t.Fatal(err)
	}
	if got := both.String(); got != "Nothing [here]\nnote: There is more.\n" {
		t.Errorf("%q", got)
	}
}

// A document cannot write what looks like a footnote of ours.
func TestEscapedBracketsAreNoCitations(t *testing.T) {
	text := "a \\[[1]](https://evil.example) b [[1]](https://wiki.example)"
	for _, size := range []int{1, 2, 5, len(text)} {
		events := []core.Event{core.Cited{Number: 1}}
		for part := range slices.Chunk([]byte(text), size) {
			events = append(events, core.TextDelta{Delta: string(part)})
		}
		if out, _ := shown(t, Screen{}, &scripted{events: events}); out != "a \\[[1]](https://evil.example) b [1]\n" {
			t.Errorf("in pieces of %d: %q", size, out)
		}
	}
}
