package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// large fills a ledger with documents of two passages of 1 kB.
func large(b *testing.B, documents int) *Store {
	s := handbook(b)
	text := strings.Repeat("Annual leave is granted by the lead. ", 27)
	for at := 0; at < documents; at += 500 {
		var entries []core.Entry
		for i := at; i < at+500; i++ {
			e := page(fmt.Sprint(i), []core.Principal{core.Workspace, core.User(fmt.Sprint(i, "@example.com"))}, text, text)
			space := fmt.Sprintf("team-%d", i%100)
			e.Document.Folders = []string{space, space + "/guides"}
			e.Document.Meta = map[string]string{"path": fmt.Sprintf("%s/guides/%d.md", space, i)}
			entries = append(entries, e)
		}
		put(b, s, entries...)
	}
	return s
}

// BenchmarkVisible measures the gate for 50 passages of 50 documents.
func BenchmarkVisible(b *testing.B) {
	s := large(b, 10_000)
	ids := make([]core.PassageID, 50)
	f := core.Filter{Principals: []core.Principal{core.Workspace}}
	for n := 0; b.Loop(); n++ {
		for i := range ids {
			ids[i] = core.PassageID(1 + (n*7919+i*397)%20_000)
		}
		found, err := s.Visible(b.Context(), f, ids)
		if err != nil || len(found) != 50 {
			b.Fatal(len(found), err)
		}
	}
}

// BenchmarkAround measures the gate for 50 windows of two passages in 50 documents.
func BenchmarkAround(b *testing.B) {
	s := large(b, 20_000)
	windows := make([]core.Window, 50)
	f := core.Filter{Principals: []core.Principal{core.Workspace}}
	for n := 0; b.Loop(); n++ {
		for i := range windows {
			windows[i] = core.Window{Document: fmt.Sprint("handbook/", (n*7919+i*397)%20_000), To: 1}
		}
		found, err := s.Around(b.Context(), f, windows)
		if err != nil || len(found) != 50 || len(found[49]) != 2 {
			b.Fatal(len(found), err)
		}
	}
}

// BenchmarkFacts measures loading the facts of 10,000 documents at start.
func BenchmarkFacts(b *testing.B) {
	s := large(b, 10_000)
	for b.Loop() {
		n := 0
		check(b, s.Facts(b.Context(), func(page []core.Facts) error { n += len(page); return nil }))
		if n != 10_000 {
			b.Fatal(n)
		}
	}
}
