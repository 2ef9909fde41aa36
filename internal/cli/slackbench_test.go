package cli

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// sized reads how large a benchmark is to be.
func sized(b *testing.B) int {
	b.Helper()
	n, err := strconv.Atoi(os.Getenv("SCALE"))
	if err != nil {
		b.Skip("SCALE is not set: it is the number of passages in the index")
	}
	return n
}

// archive makes documents of one passage of about 2 kB each, of which members
// may read 40 %.
type archive struct {
	rng  *rand.Rand
	zipf *rand.Zipf
}

func newArchive() *archive {
	rng := rand.New(rand.NewPCG(1, 2))
	return &archive{rng, rand.NewZipf(rng, 1.07, 4, 200_000)}
}

func (a *archive) text(words int) string {
	var b strings.Builder
	for range words {
		i := a.zipf.Uint64()
		fmt.Fprintf(&b, "%c%cw%s ", 'a'+i%23, 'a'+i%19, strconv.FormatUint(i, 36))
	}
	return b.String()
}

func (a *archive) documents(n int) []eval.Document {
	out := make([]eval.Document, n)
	for i := range out {
		readers := core.NewAccess(core.Workspace)
		if i%5 > 1 {
			readers = core.NewAccess(core.User("boss@acme.test"))
		}
		out[i] = eval.Document{ID: strconv.Itoa(i), Title: a.text(4), Text: a.text(300), Access: readers}
	}
	return out
}

// fill reads the documents into the user's data folder.
func (u *user) fill(docs []eval.Document) {
	u.t.Helper()
	cfg, err := u.invocation(nil, nil, io.Discard).config()
	if err != nil {
		u.t.Fatal(err)
	}
	a, err := openApp(u.t.Context(), cfg, "", discard())
	if err != nil {
		u.t.Fatal(err)
	}
	e := &engine{app: a, progress: u.invocation(nil, nil, io.Discard).progress("bench")}
	if err := e.Index(u.t.Context(), docs); err != nil {
		u.t.Fatal(err)
	}
	if err := a.close(); err != nil {
		u.t.Fatal(err)
	}
}

// searches asks for a search with the question's own words and answers with one
// of what was found.
func searches(c modeltest.Chat) modeltest.Reply {
	question := ""
	for _, m := range c.Messages {
		if m.Role == "tool" {
			return modeltest.Reply{Text: "It is written down there [1]."}
		}
		if m.Role == "user" {
			question = m.Content
		}
	}
	return searchFor(question)
}

// BenchmarkSlackFirst measures footnote serve as a process: from the moment at
// which Slack sends an event to the first call that shows text, through search
// with an access filter and a model that answers at once.
func BenchmarkSlackFirst(b *testing.B) {
	n := sized(b)
	c := newCrowd(b, 250)
	model := modeltest.Start(modeltest.Script{Think: searches})
	b.Cleanup(model.Close)
	c.u.write(map[string]string{"footnote.yaml": slackFolder(c.Server, model.URL)})
	words := newArchive()
	c.u.fill(words.documents(n))
	p := serveProcess(b, c.u.dir)
	wait(b, c.Server, p, "a socket", func() bool { return len(c.OpenSockets()) == 1 })
	asked, cpu := 0, p.cpu()
	for b.Loop() {
		i := asked % c.channels
		channel, person := fmt.Sprintf("CC%d", i), fmt.Sprintf("UC%dx%d", i, asked/c.channels%4)
		root := c.Mention(channel, person, words.text(6)+"?")
		wait(b, c.Server, p, "an answer", func() bool { return inThread(c.Server, channel, root, "written down") })
		asked++
	}
	took := firstShown(c.Server)
	if len(took) != asked {
		b.Fatalf("%d of %d questions were answered", len(took), asked)
	}
	b.ReportMetric((p.cpu()-cpu).Seconds()*1000/float64(asked), "cpu-ms")
	b.ReportMetric(float64(eval.Percentile(took, 50).Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(eval.Percentile(took, 95).Microseconds())/1000, "p95-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSlackStreamed is the same for a model that streams 50 tokens a second,
// on a small index: what counts is how soon its first words are shown.
func BenchmarkSlackStreamed(b *testing.B) {
	c := newCrowd(b, 10)
	model := modeltest.Start(modeltest.Script{Think: func(c modeltest.Chat) modeltest.Reply {
		r := streams(c)
		r.Chunks = r.Chunks[:min(len(r.Chunks), 60)]
		return r
	}})
	b.Cleanup(model.Close)
	c.u.write(map[string]string{"footnote.yaml": slackFolder(c.Server, model.URL)})
	p := serveProcess(b, c.u.dir)
	wait(b, c.Server, p, "a socket", func() bool { return len(c.OpenSockets()) == 1 })
	asked := 0
	for b.Loop() {
		channel, root := c.ask(asked)
		wait(b, c.Server, p, "the end", func() bool {
			m, _ := c.MessageAt(channel, root)
			return inThread(c.Server, channel, root, "Sources") && len(m.Reactions["eyes"]) == 0
		})
		asked++
	}
	took := firstShown(c.Server)
	b.ReportMetric(float64(eval.Percentile(took, 50).Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(eval.Percentile(took, 95).Microseconds())/1000, "p95-ms")
	b.ReportMetric(0, "ns/op")
}

// firstShown is, for each mention, how long it took from sending the event to the
// first call that shows text in its thread.
func firstShown(srv *slacktest.Server) []time.Duration {
	first := map[string]time.Time{}
	for _, method := range []string{"chat.postMessage", "chat.startStream"} {
		for _, call := range srv.Calls(method) {
			key := call.Params["channel"] + call.Params["thread_ts"]
			if at, ok := first[key]; call.Error == "" && (!ok || call.At.Before(at)) {
				first[key] = call.At
			}
		}
	}
	var took []time.Duration
	for _, d := range srv.Deliveries("app_mention") {
		channel, ts := mentionOf(d)
		if at, ok := first[channel+ts]; ok && len(d.Attempts) > 0 {
			took = append(took, at.Sub(d.Attempts[0].Sent))
		}
	}
	return took
}
