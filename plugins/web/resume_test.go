package web

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/web/webtest"
)

// many is a site of n pages, ten links on each.
func many(n int) *webtest.Site {
	s := webtest.New()
	for i := range n {
		p := &webtest.Page{Title: fmt.Sprint("Page ", i), Text: text(fmt.Sprint("number ", i))}
		for j := 10*i + 1; j <= 10*i+10 && j < n; j++ {
			p.Links = append(p.Links, fmt.Sprintf("/p/%d", j))
		}
		path := fmt.Sprintf("/p/%d", i)
		if i == 0 {
			path = "/"
		}
		s.Set(path, p)
	}
	return s
}

// A crawl that is stopped and resumed over and over, of a site that fails, ends with
// the same documents as one that nothing disturbs.
func TestStoppedAndResumed(t *testing.T) {
	items := 3000
	if testing.Short() {
		items = 600
	}
	server := many(items)
	address := server.Start(t)
	whole := newHost()
	synced(t, start(t, site(address)), whole)
	if len(whole.docs) != items {
		t.Fatalf("undisturbed: %d documents", len(whole.docs))
	}
	random := rand.New(rand.NewPCG(1, 2))
	server.SetFaults(1, 20, items/20)
	broken, tries, dir := newHost(), 0, t.TempDir()
	for done := false; !done; tries++ {
		if tries == 500 {
			t.Fatalf("not done after %d tries, %d documents", tries, len(broken.docs))
		}
		broken.stopAt = checkpointEvents + 10 + random.IntN(items/10)
		err := startIn(t, site(address), dir).sync(t.Context(), broken.cursor, broken)
		if kind := sdk.KindOf(err); err != nil && !errors.Is(err, errStopped) && kind != "" && kind != "busy" {
			t.Fatal(err)
		}
		done = err == nil && len(broken.failed) == 0
		broken.crash()
	}
	if diff := cmp.Diff(whole.docs, broken.docs); diff != "" {
		t.Error(diff)
	}
	t.Logf("%d syncs, %d faults, %d documents sent", tries, server.Struck(), broken.sent)
	if server.Struck() < items/40 || tries < 5 || broken.sent <= items {
		t.Errorf("only %d faults and %d syncs", server.Struck(), tries)
	}
	server.SetFaults(1, 1, 0) // a list has no second try: any fault left would void it
	if got, err := listed(t, startIn(t, site(address), dir)); err != nil || cmp.Diff(paths(scoped(address), whole.docs), got) != "" {
		t.Errorf("%d listed, %v", len(got), err)
	}
}

// scoped is a source that knows its site and was not started.
func scoped(address string) *Source {
	s := site(address)
	s.scope = &scope{named: map[string]bool{}}
	_ = s.scope.begin(address)
	return s
}

// Whatever breaks while a list is read, it is an error or the whole list: a short one
// would delete documents.
func TestListIsWholeOrVoid(t *testing.T) {
	server := many(120)
	address := server.Start(t)
	void := 0
	seeds := 30
	if testing.Short() {
		seeds = 12
	}
	for seed := range uint64(seeds) {
		s := start(t, site(address)) // in a new folder: all that it knows is the site
		server.SetFaults(seed, 25, 3)
		got, err := listed(t, s)
		if err != nil {
			void++
		} else if len(got) != 120 {
			t.Fatalf("seed %d: %d pages without an error", seed, len(got))
		}
	}
	if void < 3 || void == seeds {
		t.Errorf("%d of %d lists met a fault that they did not survive", void, seeds)
	}
}

// What lies in the folder may be lost, cut short or of other settings: all is read
// anew then.
func TestJournal(t *testing.T) {
	server := handbook()
	address, dir := server.Start(t), t.TempDir()
	name := filepath.Join(dir, journal)
	h := newHost()
	synced(t, startIn(t, site(address), dir), h)
	again := func(what string, s *Source, want int) {
		t.Helper()
		h.sent = 0
		synced(t, startIn(t, s, dir), h)
		if h.sent != want {
			t.Errorf("%s: %d sent, want %d", what, h.sent, want)
		}
	}
	again("as it was", site(address), 0)
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"page":{"u":"http://exam`); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	again("a line that is cut short", site(address), 0)
	other := site(address)
	other.Exclude = []string{"/coffee/**"}
	again("other settings", other, 3)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	again("lost", site(address), 5)
	h.cursor = sdk.Cursor("nonsense")
	again("a cursor of nobody", site(address), 5)
	s := startIn(t, site(address), dir)
	st, err := open(dir, s.settings(), h.cursor)
	if err != nil {
		t.Fatal(err)
	}
	for range 1500 { // as in a hundred crawls
		st.looked(st.order[1])
	}
	if h.cursor, err = st.checkpoint(); err != nil || st.close() != nil {
		t.Fatal(err)
	}
	again("in the long run", s, 0)
	if info, err := os.Stat(name); err != nil || info.Size() > 16<<10 {
		t.Errorf("it did not get shorter: %+v, %v", info, err)
	}
	text, err := os.ReadFile(name)
	if err != nil || !strings.HasPrefix(string(text), `{"settings":`) {
		t.Errorf("%.100s, %v", text, err)
	}
}

// BenchmarkSync is the first crawl of 3,000 pages of a site on loopback, without the
// configured pace.
func BenchmarkSync(b *testing.B) {
	const items = 3000
	address := many(items).Start(b)
	for b.Loop() {
		synced(b, start(b, site(address)), newHost())
	}
	b.ReportMetric(float64(items)*float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}

// BenchmarkAgain is a crawl in which nothing changed.
func BenchmarkAgain(b *testing.B) {
	const items = 3000
	s, h := start(b, site(many(items).Start(b))), newHost()
	synced(b, s, h)
	for b.Loop() {
		synced(b, s, h)
	}
	b.ReportMetric(float64(items)*float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}
