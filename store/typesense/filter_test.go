package typesense_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/indextest"
	"github.com/footnote-bot/footnote/store/typesense"
	"github.com/footnote-bot/footnote/store/typesense/typesensetest"
)

// TestFiltersBeyondTheLimits has filters with more conditions, or longer lists, than
// Typesense takes in one filter or one address. The server refuses what it would.
func TestFiltersBeyondTheLimits(t *testing.T) {
	x := opened(t, typesensetest.New(t), typesense.Options{})
	prepare(t, x, "", false)
	var docs []core.IndexedDocument
	for i := range 400 {
		d := indextest.Document(fmt.Sprintf("s/%d", i), core.PassageID(i+1), "walrus")
		d.Facts.Source = fmt.Sprintf("s%d", i%7)
		d.Facts.Access = core.NewAccess(core.Group("wiki", fmt.Sprint(i)), core.Group("wiki", fmt.Sprint(i+1)))
		d.Facts.Folders = []string{fmt.Sprintf("f%d", i%11)}
		d.Facts.Tags = []string{fmt.Sprintf("a=%d", i%3), fmt.Sprintf("b%d=x", i%5), "all=yes"}
		docs = append(docs, d)
	}
	put(t, x, docs...)
	var everything []core.Principal
	for i := range 20_000 {
		everything = append(everything, core.Group("wiki", fmt.Sprint(i*3)))
	}
	var alone, apart [][]core.Principal // readers who share rights, and who do not
	for i := range 120 {
		alone = append(alone, []core.Principal{core.Group("wiki", "7"), core.User(fmt.Sprintf("r%d@example.com", i))})
		apart = append(apart, []core.Principal{core.Group("wiki", fmt.Sprint(200+i%2)), core.User(fmt.Sprintf("r%d@example.com", i))})
	}
	var rules []core.Collection
	for i := range 60 {
		rules = append(rules, core.Collection{Sources: []string{fmt.Sprintf("s%d", i%6)}, Folders: []string{fmt.Sprintf("f%d", i%10)}, Tags: []string{fmt.Sprintf("A=%d", i%2)}})
	}
	var tags []string
	for i := range 60 {
		tags = append(tags, fmt.Sprintf("b%d=x", i%5), fmt.Sprintf("none%d=y", i))
	}
	var ids []string
	for i := range 300 {
		ids = append(ids, fmt.Sprintf("s/%d", i))
	}
	for name, f := range map[string]core.Filter{
		"20,000 principals":          {Principals: everything},
		"readers who share a right":  {Readers: alone},
		"readers who share none":     {Readers: apart},
		"many collections":           {Bypass: true, Within: rules},
		"many collections, granted":  {Granted: rules},
		"collections of all clauses": {Granted: rules, Within: rules[:9], Asked: rules[3:40], Collections: rules[20:], Folders: []string{"f3"}, Attached: ids[:3]},
		"tags of many keys":          {Bypass: true, Tags: tags, TagMode: core.TagPerKey},
		"many documents":             {Bypass: true, Documents: ids},
		"all of it":                  {Principals: everything, Readers: apart, Granted: rules, Within: rules, Asked: rules, Documents: ids, Sources: []string{"s1", "s2", "s3"}},
		"tags of keys that all have": {Bypass: true, Tags: []string{"all=yes", "a=1", "a=2"}, TagMode: core.TagPerKey, Within: rules},
		"nobody":                     {Readers: append(slices.Clone(alone), nil)},
	} {
		t.Run(name, func(t *testing.T) {
			want := []core.PassageID{}
			for i, d := range docs {
				if f.Allows(d.Facts) {
					want = append(want, core.PassageID(i+1))
				}
			}
			hits, err := x.Keyword(t.Context(), core.KeywordQuery{Text: "walrus", Filter: f, Limit: 1000})
			if err != nil {
				t.Fatal(err)
			}
			got := []core.PassageID{}
			for _, h := range hits {
				got = append(got, h.Passage)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d passages %v, want %d %v", len(got), got, len(want), want)
			}
		})
	}
}

// TestFrequentWords finds what holds two words of which each alone stands in more
// passages than one page lists.
func TestFrequentWords(t *testing.T) {
	x := opened(t, typesensetest.New(t), typesense.Options{})
	prepare(t, x, "", false)
	var docs []core.IndexedDocument
	for i := range 700 {
		text := []string{"walrus", "herring"}[i%2] + " of the northern sea"
		docs = append(docs, indextest.Document(fmt.Sprintf("s/%d", i), core.PassageID(i+1), text))
	}
	docs = append(docs, indextest.Document("s/both", 5000, "a walrus that eats a herring"))
	put(t, x, docs...)
	if got := find(t, x, "which walrus eats the herring"); got[0] != 5000 || len(got) != 50 {
		t.Errorf("%d passages, first %v; want 50 and passage 5000 first", len(got), got[:1])
	}
	hits, err := x.Keyword(t.Context(), core.KeywordQuery{Text: "walrus", Limit: 1000})
	if err != nil || len(hits) != 351 {
		t.Errorf("%d passages hold the word, %v; want 351", len(hits), err)
	}
}
