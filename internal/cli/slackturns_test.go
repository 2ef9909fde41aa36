package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// mentionOf is the channel and the ts of the message that an event is about.
func mentionOf(d slacktest.Delivery) (channel, ts string) {
	var p struct {
		Event struct{ Channel, TS string } `json:"event"`
	}
	if json.Unmarshal(d.Payload, &p) != nil {
		return "", ""
	}
	return p.Event.Channel, p.Event.TS
}

// turnsAtOnceInSlack and wordsOfATurn are the size of BenchmarkSlackTurns: five
// seconds of 50 tokens a second each.
const (
	turnsAtOnceInSlack = 200
	wordsOfATurn       = 250
)

// streams answers with 50 tokens a second after a search.
func streams(c modeltest.Chat) modeltest.Reply {
	for _, m := range c.Messages {
		if m.Role == "tool" {
			r := modeltest.Reply{ChunkDelayMS: 20, Chunks: []string{"An employee has", " 28 days [1]."}}
			for len(r.Chunks) < wordsOfATurn-1 {
				r.Chunks = append(r.Chunks, " word")
			}
			r.Chunks = append(r.Chunks, " complete.")
			return r
		}
	}
	return searchFor("annual leave days")
}

// BenchmarkSlackTurns runs 200 turns at once in 200 channels and one over HTTP
// beside them, whose longest silence between two pieces of text tells how evenly
// the process works. Model and Slack are in the test's process, not in the one
// that is measured.
func BenchmarkSlackTurns(b *testing.B) {
	for name, opts := range map[string][]slacktest.Option{"streams": nil, "edits": {slacktest.NoStreamsIn(slacktest.Public)}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				turnsInSlack(b, opts)
			}
		})
	}
}

func turnsInSlack(b *testing.B, opts []slacktest.Option) {
	c := newCrowd(b, turnsAtOnceInSlack, opts...)
	model := modeltest.Start(modeltest.Script{Think: streams})
	defer model.Close()
	c.u.write(map[string]string{"footnote.yaml": slackFolder(c.Server, model.URL)})
	token := c.u.token("ann@acme.test")
	p := serveProcess(b, c.u.dir)
	wait(b, c.Server, p, "a socket", func() bool { return len(c.OpenSockets()) == 1 })
	warm, root := c.ask(0)
	wait(b, c.Server, p, "a first answer", func() bool { return inThread(c.Server, warm, root, "complete.") })
	time.Sleep(time.Second)
	idle, cpu, began := p.memory("VmRSS"), p.cpu(), time.Now()
	roots := make([][2]string, turnsAtOnceInSlack)
	for n := range roots {
		channel, ts := c.ask(turnsAtOnceInSlack + n)
		roots[n] = [2]string{channel, ts}
	}
	over := make(chan struct{})
	machine := oversleep(over)
	gap, streamed := longestSilence(b, p.url, token)
	close(over)
	b.ReportMetric((p.cpu()-cpu).Seconds()/time.Since(began).Seconds(), "cores")
	b.ReportMetric((p.memory("VmHWM")-idle)/1e6, "MB-over-idle")
	b.ReportMetric(float64(gap.Microseconds())/1000, "gap-ms")
	b.ReportMetric(float64((<-machine).Microseconds())/1000, "machine-gap-ms")
	b.ReportMetric(streamed.Seconds(), "stream-s")
	if !soon(c.Server, 8*time.Minute, func() bool { return len(c.open(roots, "complete.")) == 0 }) {
		b.Errorf("%d turns have no end\n%s", len(c.open(roots, "complete.")), p.logged())
	}
	b.ReportMetric(time.Since(began).Seconds(), "all-done-s")
	b.ReportMetric((p.cpu()-cpu).Seconds()*1000/turnsAtOnceInSlack, "cpu-ms/turn")
	b.ReportMetric(0, "ns/op")
	p.kill()
}

// oversleep tells, once over is closed, the longest time that passed between two
// looks of a goroutine that sleeps 20 ms between them: what the machine and the
// test's own servers add to any gap.
func oversleep(over chan struct{}) chan time.Duration {
	out := make(chan time.Duration, 1)
	go func() {
		longest, last := time.Duration(0), time.Now()
		for {
			select {
			case <-over:
				out <- longest
				return
			case <-time.After(20 * time.Millisecond):
				now := time.Now()
				longest, last = max(longest, now.Sub(last)), now
			}
		}
	}()
	return out
}

// longestSilence asks over HTTP and returns the longest time between two pieces
// of the answer, and how long it streamed.
func longestSilence(b *testing.B, address, token string) (longest, all time.Duration) {
	r, err := http.NewRequestWithContext(b.Context(), "POST", address+sendPath, strings.NewReader(`{"message":"How many days of annual leave?","stream":true}`))
	if err != nil {
		b.Error(err)
		return 0, 0
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Error(err)
		return 0, 0
	}
	defer resp.Body.Close()
	var first, last time.Time
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if !strings.Contains(lines.Text(), `"type":"text"`) {
			continue
		}
		now := time.Now()
		if first.IsZero() {
			first, last = now, now
		}
		longest, last = max(longest, now.Sub(last)), now
	}
	if first.IsZero() {
		b.Error(fmt.Errorf("nothing was streamed: %s", resp.Status))
	}
	return longest, last.Sub(first)
}
