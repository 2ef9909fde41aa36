package index

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/blevesearch/bleve/v2/index/scorch"
	bleveindex "github.com/blevesearch/bleve_index_api"
)

// A list of segments that was cut anywhere is found before it is mapped; a whole one
// passes, and what is no such file is left to the engine.
func TestCheckBolt(t *testing.T) {
	dir := t.TempDir()
	queue := bleveindex.NewAnalysisQueue(1)
	defer queue.Close()
	engine, err := scorch.NewScorch("test", map[string]any{"path": dir}, queue)
	if err == nil {
		err = engine.Open()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, boltFile))
	if err != nil {
		t.Fatal(err)
	}
	page := os.Getpagesize()
	for name, row := range map[string]struct {
		content []byte
		bad     bool
	}{
		"whole":            {whole, false},
		"empty":            {nil, false},
		"shorter than one": {whole[:boltHead-1], false},
		"one page":         {whole[:page], true},
		"two pages":        {whole[:2*page], true},
		"zeros":            {make([]byte, len(whole)), false},
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, boltFile), row.content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := checkBolt(folder); (err != nil) != row.bad {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := checkBolt(t.TempDir()); err != nil {
		t.Errorf("no file: %v", err)
	}
}
