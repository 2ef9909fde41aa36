package find_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/extract"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/testdata/handbook"
)

// TestMain lets this binary stand in for the one that reads PDF files.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "extract" {
		if err := extract.RunChild(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// addHandbook takes in the handbook, each folder with the access that the demo
// gives it.
func (p *pipeline) addHandbook(t *testing.T) {
	t.Helper()
	err := fs.WalkDir(handbook.FS, handbook.Root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(handbook.FS, name)
		if err != nil {
			return err
		}
		id := strings.TrimPrefix(name, handbook.Root+"/")
		doc := core.Document{ID: "handbook/" + id, Source: "handbook", ExternalID: id, Access: core.NewAccess(core.Workspace)}
		if strings.HasPrefix(id, "hr/") {
			doc.Access = core.NewAccess(core.User("hr@northquay.example"))
		}
		c, err := p.extractor.File(t.Context(), id, "", bytes.NewReader(body))
		if err != nil {
			return err
		}
		doc.Title = c.Title
		if doc.Title == "" {
			doc.Title = path.Base(id)
		}
		return p.index.Put(t.Context(), []core.IndexedDocument{p.indexed(doc, c)})
	})
	if err != nil {
		t.Fatal(err)
	}
}

var employee = core.Filter{Principals: []core.Principal{core.Public, core.Workspace}}

// TestHandbook asks the handbook's own questions the way quotes mode does.
func TestHandbook(t *testing.T) {
	if testing.Short() {
		t.Skip("reads a PDF in a child process")
	}
	questions, err := handbook.Questions()
	if err != nil {
		t.Fatal(err)
	}
	p := newPipeline(t)
	p.addHandbook(t)
	finder := find.New(find.Options{Index: p.index, Gate: p})
	inTop, cited, right, wrong := 0, 0, 0, 0
	for _, q := range questions {
		results, err := finder.Search(t.Context(), find.Query{Queries: []string{q.Text}, Filter: employee, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		expected := func(r core.Result) bool { return slices.Contains(q.Documents, r.Document.ExternalID) }
		rank := slices.IndexFunc(results, expected) + 1
		if rank > 0 && rank <= 3 {
			inTop++
		}
		var tops []string
		for _, r := range results[:min(3, len(results))] {
			tops = append(tops, fmt.Sprintf("%s#%d %.1f %.2f", r.Document.ExternalID, r.Passage.Ordinal, r.Score, r.Coverage))
		}
		quotes := find.Answers(q.Text, results)
		switch {
		case q.Answerable() && len(quotes) > 0:
			cited++
			if slices.ContainsFunc(quotes, expected) {
				right++
			}
		case len(quotes) > 0:
			wrong++
		}
		t.Logf("%s rank %d, %d quotes, %q: %v", q.ID, rank, len(quotes), q.Text, tops)
	}
	t.Logf("expected document in the top 3: %d of 40; quoted %d of 40, the expected document %d; wrongly quoted %d of 6", inTop, cited, right, wrong)
	if inTop < 35 || cited < 37 || right < 34 || wrong > 0 {
		t.Error("the handbook's questions are answered worse than they were")
	}
}
