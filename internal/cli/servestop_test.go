package cli

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// watched is a footnote serve whose streams are looked at while it runs.
type watched struct {
	out, errs *waiter
	stop      func()
	ended     chan int
}

// serveWatched starts footnote serve and does not wait for it.
func (u *user) serveWatched(said string, args ...string) *watched {
	u.t.Helper()
	w := &watched{out: newWaiter("listening on"), errs: newWaiter(said), ended: make(chan int, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	inv := u.invocation(strings.NewReader(""), w.out, w.errs, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	inv.patience = 100 * time.Millisecond
	go func() { w.ended <- inv.run(ctx) }()
	w.stop = cancel
	u.t.Cleanup(func() {
		cancel()
		<-w.ended
		w.ended <- 0
	})
	return w
}

func (w *watched) service(u *user) *service {
	return &service{u: u, url: regexp.MustCompile(`http://\S+`).FindString(w.out.String())}
}

// exit waits for the end.
func (w *watched) exit(t *testing.T) int {
	t.Helper()
	select {
	case code := <-w.ended:
		w.ended <- code
		return code
	case <-time.After(patience):
		t.Fatalf("serve does not end: %s", w.errs)
		return 0
	}
}

// What is being answered when footnote serve is told to stop is answered to the end.
func TestServeLetsAnswersEnd(t *testing.T) {
	t.Parallel()
	goOn, asked := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var n atomic.Int32
	u, _ := withModel(t, modeltest.Script{Think: func(modeltest.Chat) modeltest.Reply {
		if n.Add(1) == 1 {
			return searchFor("visitors parking level")
		}
		once.Do(func() { close(asked) })
		<-goOn
		return modeltest.Reply{Text: "Visitors park on level 2 [1]."}
	}})
	token := u.token("ann@example.com")
	w := u.serveWatched("stopping; 1 answer", "--stop-after", "5m")
	w.out.wait(t)
	s := w.service(u)
	in := bufio.NewReader(s.request(token, "POST", sendPath, `{"message":"Where do visitors park?","stream":true}`).Body)
	until(t, in, "turn")
	<-asked
	w.stop()
	w.errs.wait(t)
	close(goOn)
	if done := until(t, in, "done"); done.Stopped || !strings.HasPrefix(done.Answer, "Visitors park on level 2") {
		t.Errorf("the answer was cut: %+v", done)
	}
	if code := w.exit(t); code != 0 {
		t.Errorf("exit code %d: %s", code, w.errs)
	}
}

// A second footnote serve says what is in its way, or waits and takes over.
func TestServeTakesOver(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	first := u.serveWatched("")
	first.out.wait(t)
	impatient := u.serveWatched("--wait")
	if code := impatient.exit(t); code != exitFailure || !strings.Contains(impatient.errs.String(), "serve --wait") {
		t.Errorf("without --wait: %d, %s", code, impatient.errs)
	}
	second := u.serveWatched("takes over when that one ends", "--wait")
	second.errs.wait(t)
	if strings.Contains(second.out.String(), "listening") {
		t.Fatal("two serve one folder")
	}
	u.write(map[string]string{"footnote.yaml": "members: {domains: [example.com]}\n"}) // counts for the second one
	first.stop()
	second.out.wait(t)
	if o := u.run("source", "list"); o.code != 0 || strings.Contains(o.err, "was changed after") {
		t.Errorf("the second one serves an old configuration: %+v", o)
	}
	second.stop()
	if code := second.exit(t); code != 0 {
		t.Errorf("exit code %d: %s", code, second.errs)
	}
}

// The service manager is told that serve is ready, lives and stops.
func TestServeTellsItsManager(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "fn")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "n")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	u := newUser(t)
	u.env["NOTIFY_SOCKET"], u.env["WATCHDOG_USEC"] = socket, strconv.Itoa(int((50 * time.Millisecond).Microseconds()))
	w := u.serveWatched("")
	expect := func(want string) {
		t.Helper()
		buffer := make([]byte, 4096)
		for {
			if err := l.SetReadDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
			n, err := l.Read(buffer)
			if err != nil {
				t.Fatalf("no %s: %v", want, err)
			}
			if strings.HasPrefix(string(buffer[:n]), want) {
				return
			}
		}
	}
	expect("READY=1")
	expect("WATCHDOG=1")
	expect("WATCHDOG=1")
	w.stop()
	expect("STOPPING=1")
	if code := w.exit(t); code != 0 {
		t.Errorf("exit code %d: %s", code, w.errs)
	}
}

// A process that nobody watches over tells nobody, and trouble with that is nobody's.
func TestNoManager(t *testing.T) {
	t.Parallel()
	none := func(string) (string, bool) { return "", false }
	managerOf(none, nil).tell("READY=1")
	gone := managerOf(func(name string) (string, bool) { return map[string]string{"NOTIFY_SOCKET": "/nowhere/s"}[name], true }, nil)
	gone.tell("READY=1")
	if gone.every != 0 {
		t.Errorf("signs of life every %s, unasked", gone.every)
	}
	gone.watchdog(t.Context(), func(context.Context) error { t.Error("was asked"); return io.EOF })
}
