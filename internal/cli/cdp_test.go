package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// browser is a headless Chromium with one page, driven over its own protocol.
type browser struct {
	t       *testing.T
	conn    *websocket.Conn
	session string

	write    sync.Mutex // of the connection
	mu       sync.Mutex
	next     int
	waiting  map[int]chan cdpReply
	requests []string
	loaded   chan struct{}
}

type cdpReply struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct{ Message string }
}

// chromium starts one, or skips the test.
func chromium(t *testing.T) *browser {
	t.Helper()
	var exe string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			exe = found
			break
		}
	}
	if exe == "" {
		t.Skip("needs Chromium to look at the pages as people do (Debian: apt-get install chromium)")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, exe, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--remote-debugging-port=0", "--user-data-dir="+dir, "about:blank")
	cmd.WaitDelay = 5 * time.Second
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		cmd.Wait() //nolint:errcheck // it was ended by us
	})
	address := debuggerOf(t, dir, &errs)
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t, conn: conn, waiting: map[int]chan cdpReply{}, loaded: make(chan struct{}, 16)}
	ended := make(chan struct{})
	go func() { defer close(ended); b.read() }()
	t.Cleanup(func() {
		conn.Close()
		<-ended
	})
	b.attach()
	return b
}

// debuggerOf waits until the browser says where it listens.
func debuggerOf(t *testing.T, dir string, errs *bytes.Buffer) string {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		raw, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		if port, path, ok := strings.Cut(strings.TrimSpace(string(raw)), "\n"); err == nil && ok {
			return "ws://127.0.0.1:" + port + path
		}
	}
	t.Skipf("Chromium does not start here: %.300s", errs.String())
	return ""
}

func (b *browser) read() {
	for {
		var r cdpReply
		if b.conn.ReadJSON(&r) != nil {
			b.mu.Lock()
			for _, c := range b.waiting {
				close(c)
			}
			b.waiting = nil
			b.mu.Unlock()
			return
		}
		switch r.Method {
		case "":
			b.mu.Lock()
			c := b.waiting[r.ID]
			delete(b.waiting, r.ID)
			b.mu.Unlock()
			if c != nil {
				c <- r
			}
		case "Network.requestWillBeSent":
			var p struct{ Request struct{ URL string } }
			if json.Unmarshal(r.Params, &p) == nil {
				b.mu.Lock()
				b.requests = append(b.requests, p.Request.URL)
				b.mu.Unlock()
			}
		case "Page.loadEventFired":
			b.loaded <- struct{}{}
		}
	}
}

func (b *browser) call(method string, params any, into any) {
	b.t.Helper()
	c := make(chan cdpReply, 1)
	b.mu.Lock()
	b.next++
	id := b.next
	if b.waiting == nil {
		b.mu.Unlock()
		b.t.Fatal("the browser went away")
	}
	b.waiting[id] = c
	b.mu.Unlock()
	b.write.Lock()
	err := b.conn.WriteJSON(map[string]any{"id": id, "method": method, "params": params, "sessionId": b.session})
	b.write.Unlock()
	if err != nil {
		b.t.Fatal(err)
	}
	select {
	case r, ok := <-c:
		if !ok || r.Error != nil {
			b.t.Fatalf("%s: %+v", method, r.Error)
		}
		if into != nil {
			if err := json.Unmarshal(r.Result, into); err != nil {
				b.t.Fatalf("%s: %v in %s", method, err, r.Result)
			}
		}
	case <-time.After(patience):
		b.t.Fatalf("%s: no answer", method)
	}
}

type object = map[string]any

func (b *browser) attach() {
	var target struct{ TargetID string }
	b.call("Target.createTarget", object{"url": "about:blank"}, &target)
	var s struct{ SessionID string }
	b.call("Target.attachToTarget", object{"targetId": target.TargetID, "flatten": true}, &s)
	b.session = s.SessionID
	b.call("Page.enable", object{}, nil)
	b.call("Network.enable", object{}, nil)
}

// open goes to an address and waits until it is there.
func (b *browser) open(address string) {
	b.t.Helper()
	var r struct{ ErrorText string }
	b.call("Page.navigate", object{"url": address}, &r)
	if r.ErrorText != "" {
		b.t.Fatalf("%s: %s", address, r.ErrorText)
	}
	b.arrive()
}

func (b *browser) arrive() {
	b.t.Helper()
	select {
	case <-b.loaded:
	case <-time.After(patience):
		b.t.Fatal("the page does not load")
	}
}

// look sets the width of the window in CSS pixels, and light or dark.
func (b *browser) look(width int, scheme string) {
	b.call("Emulation.setDeviceMetricsOverride", object{"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
	b.call("Emulation.setEmulatedMedia", object{"features": []object{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// eval runs an expression in the page and reads its value, which must be JSON.
func (b *browser) eval(expression string, into any) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", object{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", r.ExceptionDetails.Text, r.ExceptionDetails.Exception.Description)
	}
	if into != nil && len(r.Result.Value) > 0 {
		if err := json.Unmarshal(r.Result.Value, into); err != nil {
			b.t.Fatal(err)
		}
	}
}

// press sends a key as a keyboard does.
func (b *browser) press(key string, code int) {
	text := ""
	if key == "Enter" {
		text = "\r"
	}
	b.call("Input.dispatchKeyEvent", object{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text}, nil)
	b.call("Input.dispatchKeyEvent", object{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code}, nil)
}

// shoot writes a picture of the whole page, up to a height that a document can show.
func (b *browser) shoot(path string) {
	b.t.Helper()
	var size struct {
		CSSContentSize struct{ Width, Height float64 }
	}
	b.call("Page.getLayoutMetrics", object{}, &size)
	clip := object{"x": 0, "y": 0, "width": size.CSSContentSize.Width, "height": min(size.CSSContentSize.Height, 1400), "scale": 1}
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", object{"format": "png", "captureBeyondViewport": true, "clip": clip}, &shot)
	raw, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(path, raw, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// strangers are requests that went anywhere but to this machine.
func (b *browser) strangers() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for _, r := range b.requests {
		u, err := url.Parse(r)
		if err != nil || u.Scheme != "data" && u.Scheme != "about" && u.Hostname() != "127.0.0.1" {
			out = append(out, fmt.Sprintf("%.100s", r))
		}
	}
	return out
}
