//go:build unix

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// TestManyTurns runs 200 turns at once, each with a search and an answer that
// streams 50 tokens a second, and prints what they cost. The model's server runs
// in the same process, so the figures are an upper bound.
func TestManyTurns(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time and memory")
	}
	const turns, words = 200, 100
	srv := modeltest.Start(modeltest.Script{Replies: loadReplies(turns, words)})
	defer srv.Close()
	index := &fakeIndex{}
	for i := range 10 {
		index.entries = append(index.entries, entry{For: "leave", Document: core.Document{ID: fmt.Sprint("d", i), URL: fmt.Sprintf("https://docs.example.com/%d", i),
			Access: core.NewAccess(core.Workspace)}, Passage: core.Passage{Text: strings.Repeat("28 days of leave. ", 80)}})
	}
	client, err := model.New(model.Config{BaseURL: srv.URL, Name: "small", Concurrency: -1})
	if err != nil {
		t.Fatal(err)
	}
	rec := &recorder{}
	var ids atomic.Int64
	a := agent.New(agent.Options{Model: &twoStep{inner: client}, Searcher: index, Opener: index, Recorder: rec, Memory: rec,
		NewID: func() string { return fmt.Sprint("turn-", ids.Add(1)) }})
	defer a.Close()
	before, cpu, started := heap(), cpuTime(), time.Now()
	over := make(chan struct{})
	peak := sampled(over)
	var group sync.WaitGroup
	var failed, cited atomic.Int64
	for i := range turns {
		group.Go(func() {
			q := asked("How much leave?")
			q.Place.Thread = fmt.Sprint("thread-", i)
			turn, err := a.Answer(t.Context(), q, func(core.Event) {})
			if err != nil || turn.Answer.Mode != core.ModeModel || turn.Answer.Stopped {
				failed.Add(1)
			}
			cited.Add(int64(len(turn.Answer.Citations)))
		})
	}
	group.Wait()
	took, used := time.Since(started), cpuTime()-cpu
	close(over)
	t.Logf("%d turns of %d tokens in %v: %v of processor time (%.0f %% of one core), %.1f MB before, %.1f MB at most",
		turns, words, took.Round(time.Millisecond), used.Round(time.Millisecond), 100*used.Seconds()/took.Seconds(),
		float64(before)/1e6, float64(<-peak)/1e6)
	if failed.Load() > 0 || cited.Load() != turns || len(rec.turns) != turns {
		t.Errorf("%d failed, %d citations, %d stored", failed.Load(), cited.Load(), len(rec.turns))
	}
}

// loadReplies are the streamed answers; the searches come from twoStep, since a
// script is played in the order in which requests arrive.
func loadReplies(turns, words int) []modeltest.Reply {
	chunks := []string{"28 days", " [1]."}
	for len(chunks) < words {
		chunks = append(chunks, " word")
	}
	out := make([]modeltest.Reply, turns)
	for i := range out {
		out[i] = modeltest.Reply{Chunks: chunks, ChunkDelayMS: 20}
	}
	return out
}

// twoStep asks for a search first and the real model after that.
type twoStep struct{ inner agent.Model }

func (m *twoStep) Stream(ctx context.Context, req model.Request, each func(model.Delta) error) (model.Reply, error) {
	if req.Messages[len(req.Messages)-1].Role == model.User && len(req.Messages) == 2 {
		arguments, err := json.Marshal(map[string][]string{"queries": {"leave"}})
		return model.Reply{Calls: []model.ToolCall{{ID: "a", Name: "internal_search", Arguments: string(arguments)}}}, err
	}
	return m.inner.Stream(ctx, req, each)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// sampled tells the most memory in use until over, five times a second.
func sampled(over chan struct{}) chan uint64 {
	out := make(chan uint64, 1)
	go func() {
		most := uint64(0)
		for {
			select {
			case <-over:
				out <- most
				return
			case <-time.After(200 * time.Millisecond):
				most = max(most, heap())
			}
		}
	}()
	return out
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
