package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// sink keeps what was said of folders, notes and checkpoints.
type sink struct{ said []string }

func (s *sink) add(format string, args ...any) error {
	s.said = append(s.said, fmt.Sprintf(format, args...))
	return nil
}
func (s *sink) Document(d sdk.Document) error          { return s.add("document %s", d.ID) }
func (s *sink) Unread(d sdk.Document, err error) error { return s.add("unread %s: %v", d.ID, err) }
func (s *sink) Removed(id string) error                { return s.add("removed %s", id) }
func (s *sink) FolderFailed(folder string, err error) error {
	return s.add("folder %s: %v", folder, err)
}
func (s *sink) Note(text string) error        { return s.add("note %s", text) }
func (s *sink) Checkpoint(c sdk.Cursor) error { return s.add("checkpoint %s", c) }

// Hours come whole, whatever pages they come in, and none twice.
func TestPages(t *testing.T) {
	all := []int64{35, 34, 31, 30, 29, 19, 12, 11, 3, 1}
	for size := 1; size <= len(all); size++ {
		p := Pages[int64, int64]{From: 0, Hour: 10, At: func(m int64) int64 { return m }}
		var got [][]int64
		last := int64(40)
		for page := range slices.Chunk(all, size) {
			down := page[len(page)-1]
			if down == 1 {
				down = 0
			}
			whole, edge := p.Add(page, down)
			for _, h := range whole {
				if h[0] < edge || h[0] >= last {
					t.Fatalf("pages of %d: %v lies outside of %d to %d", size, h, edge, last)
				}
			}
			got, last = append(got, whole...), edge
		}
		if text := fmt.Sprint(got); text != "[[35 34 31 30] [29] [19 12 11] [3 1]]" || last != 0 {
			t.Errorf("pages of %d: %s, from %d on", size, text, last)
		}
	}
}

func TestPass(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	cursor := map[string]string{"C1": "gone", "C2": "here"}
	out, files := &sink{}, Files{Dir: t.TempDir()}
	if err := files.Write("C1", map[string]string{"a": "b"}); err != nil {
		t.Fatal(err)
	}
	p := NewPass(out, cursor, func() time.Time { return now }, nil)
	err := errors.Join(p.Breathe(), p.Outside(nil, "%s"), p.Outside(strings.Fields("#a #b #c #d #e #f #g"), "the bot is not in %s"),
		p.Vanished(cursor, map[string]bool{"C2": true}, "it was deleted", func(id string) { delete(cursor, id) }, files))
	now = now.Add(time.Minute)
	if err := errors.Join(err, p.Breathe(), p.Breathe()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"note the bot is not in #a, #b, #c, #d, #e and 2 more", "folder C1: the channel #gone cannot be read any more: it was deleted",
		"note nobody may read what was read of #gone: the channel cannot be read any more", `checkpoint {"C2":"here"}`, `checkpoint {"C2":"here"}`,
	}
	if !slices.Equal(out.said, want) {
		t.Errorf("%q", out.said)
	}
	if files.Read("C1", &cursor) {
		t.Error("the list of a channel that vanished stays")
	}
}

// All channels are read although rights are missing for some; what else goes wrong
// ends the pass.
func TestEach(t *testing.T) {
	other := errors.New("the line is cut")
	for _, row := range []struct {
		fail map[int]error
		read int
		kind string
		text string
	}{
		{nil, 6, "", ""},
		{map[int]error{1: sdk.Denied(errors.New("one")), 3: sdk.Gone(errors.New("three"))}, 6, "denied", "lost\none\nthree"},
		{map[int]error{0: sdk.Denied(errors.New("a")), 1: sdk.Denied(errors.New("b")), 2: sdk.Denied(errors.New("c"))}, 6, "denied", "lost\na\nb\nand 1 more"},
		{map[int]error{2: other}, 3, "", "the line is cut"},
	} {
		var lost []error
		if row.kind != "" {
			lost = []error{errors.New("lost")}
		}
		p, read := NewPass(&sink{}, nil, time.Now, lost), 0
		err := Each(t.Context(), p, []int{0, 1, 2, 3, 4, 5}, func(n int) error { read++; return row.fail[n] })
		if text := fmt.Sprint(err); read != row.read || sdk.KindOf(err) != row.kind || err != nil && text != row.text || err == nil && row.text != "" {
			t.Errorf("%+v: read %d, %v", row, read, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Each(ctx, NewPass(&sink{}, nil, time.Now, nil), []int{0, 1}, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestOrder(t *testing.T) {
	type channel struct {
		name    string
		stopped bool
		done    int64
	}
	list := []channel{{"late", false, 9}, {"new", false, 0}, {"stopped", true, 8}, {"early", false, 3}, {"stopped first", true, 2}}
	Order(list, func(c channel) (bool, int64) { return c.stopped, c.done })
	var got []string
	for _, c := range list {
		got = append(got, c.name)
	}
	if want := []string{"stopped first", "stopped", "new", "early", "late"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
