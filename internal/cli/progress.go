package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/footnote-bot/footnote/core/ingest"
)

const (
	progressAfter = time.Second     // what is over sooner shows nothing
	progressLines = 5 * time.Second // between two lines where there is no terminal
)

// progress shows how far a sync got: a bar on a terminal, now and then a line
// elsewhere.
type progress struct {
	mu      sync.Mutex
	source  string
	out     io.Writer
	tty     bool
	started time.Time
	last    time.Time
	bar     *progressbar.ProgressBar
}

func (inv *invocation) progress(source string) *progress {
	now := time.Now()
	return &progress{source: source, out: inv.streams.Err, tty: inv.ErrTTY, started: now, last: now}
}

func (p *progress) show(s ingest.Progress) {
	p.tell(fmt.Sprintf("%s: %d documents seen, %d written", p.source, s.Seen, s.Written))
}

// tell shows a text of its own.
func (p *progress) tell(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.started) < progressAfter {
		return
	}
	if p.tty {
		p.draw(text)
		return
	}
	if now.Sub(p.last) >= progressLines {
		p.last = now
		fmt.Fprintln(p.out, text)
	}
}

// draw uses a bar without an end: a connector does not know how much is left.
func (p *progress) draw(text string) {
	if p.bar == nil {
		p.bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(p.out),
			progressbar.OptionSpinnerType(14), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetElapsedTime(false))
	}
	p.bar.Describe(text)
	p.bar.Add(1) //nolint:errcheck // a sign of life only
}

func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Finish() //nolint:errcheck // a sign of life only
	}
}
