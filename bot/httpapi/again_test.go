package httpapi

import (
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// What a turn had found is named again only as far as it may be read now, and a
// turn that failed is held to the same rule as one that did not.
func TestReplayNamesNothingThatWasClosed(t *testing.T) {
	w := start(t, nil) // of its documents, docs/b may not be read
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"fail-late","stream":true}`)
	path := "/chat/turns/" + s.until("turn").TurnID + "/events"
	s.until("error")
	r := w.call("ann", "GET", path, "")
	if r.status != 200 || strings.Contains(r.body, "Layoffs") || !strings.Contains(r.body, `"docs/a"`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	w.shelf.mu.Lock()
	w.shelf.closed = true
	w.shelf.mu.Unlock()
	if r := w.call("ann", "GET", path, ""); r.status != 403 || strings.Contains(r.body, "Half") {
		t.Errorf("its text rests on a closed document: %d %s", r.status, r.body)
	}
}

// revocable are people whose tokens end at some time.
type revocable struct {
	people
	revoked atomic.Bool
}

func (p *revocable) Holder(ctx context.Context, secret string) (Holder, error) {
	if p.revoked.Load() {
		return Holder{}, core.Errorf(core.KindNotFound, "no token")
	}
	return p.people.Holder(ctx, secret)
}

// A stream ends soon after its token was revoked; the turn goes on.
func TestRevokedTokenEndsItsStream(t *testing.T) {
	p := &revocable{}
	w := start(t, func(o *Options, _ *bot.Options) { o.Tokens, o.Recheck = p, time.Millisecond })
	s := w.open("ann", "POST", "/chat/send-chat-message", `{"message":"step open sesame","stream":true}`)
	w.mind.steps <- struct{}{}
	s.until("text")
	p.revoked.Store(true)
	time.Sleep(5 * time.Millisecond)
	w.mind.steps <- struct{}{}
	for _, e := range s.rest() {
		if e.Type == "text" || e.Type == "done" {
			t.Errorf("the stream went on with %+v", e)
		}
	}
	p.revoked.Store(false)
	if a := w.answer("ann", `{"message":"next"}`); a.Text != "next" {
		t.Errorf("answer %+v", a)
	}
}

// Connections without end leave room for those of other addresses.
func TestConnectionsAreBounded(t *testing.T) {
	c := newCrowd(nil, 8, slog.New(slog.DiscardHandler))
	for n, row := range []struct {
		from string
		want bool
	}{{"1.2.3.4", true}, {"1.2.3.4", true}, {"1.2.3.4", false}, {"5.6.7.8", true}, {"", true}, {"", true}, {"", true}, {"", true}, {"", true}, {"", false}, {"9.9.9.9", false}} {
		if got := c.enter(row.from); got != row.want {
			t.Errorf("connection %d from %q: %v", n, row.from, got)
		}
	}
	c.leave("1.2.3.4")
	if !c.enter("1.2.3.4") {
		t.Error("the place of a closed connection is not free")
	}
}

func TestServerClosesWhatIsTooMuch(t *testing.T) {
	w := start(t, func(o *Options, _ *bot.Options) { o.Connections = 4 })
	address, _ := serving(t, w, time.Second)
	var open []net.Conn
	for range 4 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		if _, err := conn.Read(make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
	}
	fifth, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer fifth.Close()
	fifth.SetReadDeadline(time.Now().Add(2 * time.Minute))
	if _, err := fifth.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), "timeout") {
		t.Errorf("the fifth connection: %v", err)
	}
	open[0].Close()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		conn.SetReadDeadline(time.Now().Add(time.Second))
		_, err = conn.Read(make([]byte, 16))
		conn.Close()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the place of a closed connection stays taken")
		}
	}
}
