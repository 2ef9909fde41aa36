package model

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

func oneAtATime(t *testing.T, srv *modeltest.Server) *Client {
	t.Helper()
	c, err := New(Config{BaseURL: srv.URL, Name: "m", Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCallsWaitInLine(t *testing.T) {
	const calls = 5
	script := modeltest.Script{}
	for range calls {
		script.Replies = append(script.Replies, modeltest.Reply{Text: "ok", DelayMS: 20})
	}
	srv := serve(t, script)
	c := oneAtATime(t, srv)
	var running, most atomic.Int64
	fail := make(chan error, calls)
	for range calls {
		go func() {
			_, err := c.Stream(t.Context(), question(), func(Delta) error {
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(5 * time.Millisecond)
				running.Add(-1)
				return nil
			})
			fail <- err
		}()
	}
	for range calls {
		if err := <-fail; err != nil {
			t.Fatal(err)
		}
	}
	if most.Load() != 1 {
		t.Errorf("%d calls ran at the same time", most.Load())
	}
}

func TestTheLineObeysTheContext(t *testing.T) {
	srv := serve(t, modeltest.Script{Replies: []modeltest.Reply{{Chunks: []string{"It goes on and ", "on and "}, HangAfter: modeltest.N(2)}}})
	c := oneAtATime(t, srv)
	first, stopFirst := context.WithCancel(t.Context())
	var once sync.Once
	started, done := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := c.Stream(first, question(), func(Delta) error { once.Do(func() { close(started) }); return nil })
		done <- err
	}()
	<-started
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	got, err := c.Stream(ctx, question(), drop)
	if core.KindOf(err) != core.KindTimeout || got.Attempts != 0 || got.Queued <= 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	stopFirst()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := len(srv.Requests()); n != 1 {
		t.Errorf("the server was asked %d times", n)
	}
}
