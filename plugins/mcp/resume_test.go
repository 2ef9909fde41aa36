package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

const (
	manyEnv   = "FOOTNOTE_TEST_RESOURCES" // how many resources the server has
	faultsEnv = "FOOTNOTE_TEST_FAULTS"    // how often it fails in all its lives
	badRow    = 8                         // faults, one right after the other
)

// failing is a server of many resources that ends, breaks off in the middle of an
// answer or refuses, until it has done so often enough. What it did is kept in a
// file, a byte a fault: the next process goes on from there.
func failing(dir string) *mcp.Server {
	count, _ := strconv.Atoi(os.Getenv(manyEnv))
	most, _ := strconv.Atoi(os.Getenv(faultsEnv))
	s := mcp.NewServer(&mcp.Implementation{Name: "tests", Version: "1"}, nil)
	for n := range count {
		r := &mcp.Resource{URI: fmt.Sprintf("note:///%04d.md", n), Name: fmt.Sprint("Note ", n), MIMEType: "text/markdown"}
		s.AddResource(r, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.URI, MIMEType: r.MIMEType, Text: "The text of " + r.URI}}}, nil
		})
	}
	struck := faultsOf(dir)
	random := rand.New(rand.NewPCG(7, uint64(struck)))
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			inRow := struck%30 >= 30-badRow
			if !strings.HasPrefix(method, "resources/") || struck >= most || !inRow && random.IntN(25) > 0 {
				return next(ctx, method, req)
			}
			struck++
			if noteFault(dir) != nil {
				os.Exit(6)
			}
			switch {
			case inRow || struck%3 == 0:
				os.Exit(5)
			case struck%3 == 1:
				fmt.Print(`{"jsonrpc": "2.0", "id": 1, "result": {"conte`)
				os.Exit(5)
			}
			return nil, errors.New("the disk is away")
		}
	})
	return s
}

func faultsFile(dir string) string { return filepath.Join(dir, "faults") }

// noteFault adds a byte, so that no fault is forgotten by a process that is ended
// meanwhile.
func noteFault(dir string) error {
	f, err := os.OpenFile(faultsFile(dir), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte{1})
	return errors.Join(err, f.Close())
}

func faultsOf(dir string) int {
	text, _ := os.ReadFile(faultsFile(dir)) // there is none before the first
	return len(text)
}

// ledger takes in what a checkpoint covers and loses the rest when it is stopped.
type ledger struct {
	docs   map[string]sdk.Document
	failed map[string]error
	cursor sdk.Cursor
	since  *host // the last checkpoint
	left   int   // documents until the host stops
	sent   int
}

func newLedger() *ledger {
	return &ledger{docs: map[string]sdk.Document{}, failed: map[string]error{}, since: newHost()}
}

func (l *ledger) Document(d sdk.Document) error {
	if l.left--; l.left == 0 {
		return errStopped
	}
	l.sent++
	return l.since.Document(d)
}

func (l *ledger) Failed(id string, err error) error { return l.since.Failed(id, err) }

func (l *ledger) Checkpoint(c sdk.Cursor) error {
	for id := range l.since.docs {
		delete(l.failed, id)
	}
	maps.Copy(l.docs, l.since.docs)
	maps.Copy(l.failed, l.since.failed)
	l.cursor, l.since = c, newHost()
	return nil
}

// A sync that is stopped and resumed over and over, of a server that crashes, breaks
// off and refuses, ends with the same documents as one that nothing disturbs.
func TestResumedThroughFaults(t *testing.T) {
	items, faults := 3000, 31
	if testing.Short() {
		items, faults = 300, 6 // each crash is a process more
	}
	source := func(dir string, faults int) *Source {
		s := child(t, "failing", dir)
		s.Env[manyEnv], s.Env[faultsEnv] = strconv.Itoa(items), strconv.Itoa(faults)
		return started(t, s)
	}
	whole := newLedger()
	if err := source(t.TempDir(), 0).sync(t.Context(), nil, whole); err != nil || len(whole.docs) != items || len(whole.failed) > 0 {
		t.Fatalf("undisturbed: %d documents, %v, %v", len(whole.docs), whole.failed, err)
	}
	dir, broken, tries, random := t.TempDir(), newLedger(), 0, rand.New(rand.NewPCG(1, 2))
	for done := false; !done; tries++ {
		if tries == 300 {
			t.Fatalf("not done after %d syncs, %d documents, %d faults", tries, len(broken.docs), faultsOf(dir))
		}
		broken.since, broken.left = newHost(), perCheckpoint+10+random.IntN(items/2)
		s := source(dir, faults)
		err := s.sync(t.Context(), broken.cursor, broken)
		if kind := sdk.KindOf(err); err != nil && kind != "" && kind != "invalid" {
			t.Fatal(err)
		}
		s.link.close()
		done = err == nil && len(broken.failed) == 0 && len(broken.docs) == items
	}
	if diff := cmp.Diff(whole.docs, broken.docs); diff != "" {
		t.Error(diff)
	}
	t.Logf("%d syncs, %d faults, %d documents sent", tries, faultsOf(dir), broken.sent)
	if faultsOf(dir) < faults/2 || tries < 3 || broken.sent <= items {
		t.Errorf("only %d faults in %d syncs", faultsOf(dir), tries)
	}
	list, err := source(dir, 0).resources(t.Context())
	if err != nil || len(list) != items {
		t.Errorf("%d listed, %v", len(list), err)
	}
}
