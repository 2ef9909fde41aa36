package agent_test

import (
	"context"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/agent"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// BenchmarkCancel stops answers while they stream and reports how long it takes
// until the partial answer is stored, and until the model's server sees its
// connection closed.
func BenchmarkCancel(b *testing.B) {
	var stored, closed time.Duration
	for b.Loop() {
		s, c := cancelOnce(b)
		stored, closed = stored+s, closed+c
	}
	b.ReportMetric(stored.Seconds()*1000/float64(b.N), "stored-ms")
	b.ReportMetric(closed.Seconds()*1000/float64(b.N), "closed-ms")
}

func cancelOnce(b *testing.B) (stored, closed time.Duration) {
	b.Helper()
	srv := modeltest.Start(modeltest.Script{Replies: []modeltest.Reply{{Chunks: []string{"so far "}, Endless: true, ChunkDelayMS: 1}}})
	defer srv.Close()
	client, err := model.New(model.Config{BaseURL: srv.URL, Name: "small"})
	if err != nil {
		b.Fatal(err)
	}
	rec := &recorder{}
	a := agent.New(agent.Options{Model: client, Searcher: &fakeIndex{}, Recorder: rec, NewID: func() string { return "turn" }})
	defer a.Close()
	ctx, cancel := context.WithCancel(b.Context())
	var at time.Time
	turn, err := a.Answer(ctx, asked("Tell me everything."), func(e core.Event) {
		if _, ok := e.(core.TextDelta); ok && at.IsZero() {
			at = time.Now()
			cancel()
		}
	})
	stored = time.Since(at)
	if err != nil || !turn.Answer.Stopped {
		b.Fatalf("got %+v, %v", turn.Answer, err)
	}
	gone, when := srv.Requests()[0].Closed(b.Context())
	if !gone {
		b.Fatal("the connection stays open")
	}
	return stored, max(0, when.Sub(at))
}
