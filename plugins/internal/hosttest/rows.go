package hosttest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Rows calls each with every row of testdata/<name>/*.jsonl.
func Rows[T any](t *testing.T, name string, each func(t *testing.T, row T)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", name, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rows of %s: %v", name, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
			var named struct{ Name string }
			var row T
			if err := json.Unmarshal(lines.Bytes(), &named); err != nil || named.Name == "" {
				t.Fatalf("%s: %v in %s", file, err, lines.Text())
			}
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			t.Run(named.Name, func(t *testing.T) { each(t, row) })
		}
	}
}
