package plugintest

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// forgetful leaves two goroutines behind in each sync, which takes little memory.
type forgetful struct{}

func (*forgetful) Sync(_ context.Context, _ sdk.Cursor, out *sdk.Out) error {
	for range 2 {
		go time.Sleep(time.Hour)
	}
	if err := out.Document(sdk.Document{ID: "a", Title: "A", Body: "text", Access: sdk.Workspace}); err != nil {
		return err
	}
	return out.Checkpoint(sdk.Cursor("done"))
}

// Goroutines are counted where the connector is a test's own.
func TestGoroutinesAreCounted(t *testing.T) {
	if testing.Short() {
		t.Skip("25 syncs")
	}
	c := Case{New: func() sdk.Source { return new(forgetful) }}
	if os.Getenv(childEnv) != "" {
		Run(t, c)
		return
	}
	subject, err := c.subject(t, caseName(t, c))
	if err != nil {
		t.Fatal(err)
	}
	results, err := Test(t.Context(), subject, Options{Only: []string{"sync.growth"}})
	if err != nil || len(results) != 1 || results[0].State != Fail || !strings.Contains(results[0].Reason, "goroutines from") {
		t.Errorf("%+v %v", results, err)
	}
	t.Log(results)
}
