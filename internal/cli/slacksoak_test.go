package cli

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// crowd is a workspace with many people in many channels, so that nobody runs
// into the limits of a person or a place.
type crowd struct {
	*slacktest.Server
	u        *user
	channels int
}

func newCrowd(t testing.TB, channels int, opts ...slacktest.Option) *crowd {
	t.Helper()
	c := &crowd{u: newUser(t), channels: channels}
	c.Server = officeIn(t, c.u, true, opts...)
	for i := range channels {
		var people []string
		for j := range 4 {
			id := fmt.Sprintf("UC%dx%d", i, j)
			c.AddUser(slacktest.User{ID: id, Name: strings.ToLower(id), Email: strings.ToLower(id) + "@acme.test"})
			people = append(people, id)
		}
		c.AddChannel(slacktest.Channel{ID: fmt.Sprintf("CC%d", i), Name: fmt.Sprintf("crowd-%d", i), Members: append(people, slacktest.BotUser)})
	}
	return c
}

// ask posts the nth question; channels and people take turns.
func (c *crowd) ask(n int) (channel, ts string) {
	i := n % c.channels
	channel = fmt.Sprintf("CC%d", i)
	return channel, c.Mention(channel, fmt.Sprintf("UC%dx%d", i, n/c.channels%4), fmt.Sprintf("How many days of annual leave? This is question no. %d.", n))
}

var questionNumber = regexp.MustCompile(`question no\. (\d+)`)

// numbered answers with the number of the question, in pieces, after a search.
func numbered(c modeltest.Chat) modeltest.Reply {
	searched, number := false, ""
	for _, m := range c.Messages {
		searched = searched || m.Role == "tool"
		if found := questionNumber.FindStringSubmatch(m.Content); m.Role == "user" && found != nil {
			number = found[1]
		}
	}
	if !searched {
		return searchFor("annual leave days")
	}
	return modeltest.Reply{ChunkDelayMS: 40, Chunks: []string{"This is", " the answer", " to no. " + number + ":", " an employee", " has 28 days", " of annual", " leave", " [1]."}}
}

// soakEnv is the variable that says how many questions TestSoakInSlack sends; with it
// the test measures too.
const soakEnv = "FOOTNOTE_SOAK"

// TestSoakInSlack sends 200 questions at 20 a second to footnote serve in a process of
// its own, while Slack repeats, reorders and loses events and the connection breaks
// three times. Each question gets exactly one answer.
func TestSoakInSlack(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute: 200 events at 20 a second")
	}
	const second = 20
	questions, measured := 200, false
	if n, err := strconv.Atoi(os.Getenv(soakEnv)); err == nil {
		questions, measured = n, true
	}
	// More tries than Slack's three: an event that a busy machine took in too late comes again.
	c := newCrowd(t, 50, slacktest.RetryDelays(0, time.Second, 3*time.Second, 10*time.Second, 30*time.Second), slacktest.PingEvery(time.Second))
	model := modeltest.Start(modeltest.Script{Think: numbered})
	t.Cleanup(model.Close)
	c.u.write(map[string]string{"footnote.yaml": slackFolder(c.Server, model.URL)})
	p := serveProcess(t, c.u.dir)
	wait(t, c.Server, p, "a socket", func() bool { return len(c.OpenSockets()) == 1 })
	roots := make([][2]string, questions)
	tick := time.NewTicker(time.Second / second)
	defer tick.Stop()
	for n := range questions {
		c.disturb(n, questions)
		channel, ts := c.ask(n)
		roots[n] = [2]string{channel, ts}
		<-tick.C
	}
	if !soon(c.Server, patience, func() bool { return len(c.open(roots, "leave")) == 0 }) {
		t.Errorf("without an answer: %v\n%s", c.open(roots, "leave"), p.logged())
	}
	time.Sleep(2 * time.Second) // for an answer too many
	c.exactlyOnce(t, roots)
	c.acks(t, measured)
	t.Logf("memory at most %.0f MB, processor time %v", p.memory("VmHWM")/1e6, p.cpu())
}

// disturb is what goes wrong around the nth question of all.
func (c *crowd) disturb(n, all int) {
	switch {
	case n%100 == 30:
		c.Disturb(slacktest.Disturbance{Event: "app_mention", Repeat: 2})
	case n%100 == 50:
		c.Disturb(slacktest.Disturbance{Event: "app_mention", Behind: 5})
	case n%100 == 60:
		c.Disturb(slacktest.Disturbance{Event: "app_mention", Delay: 700 * time.Millisecond, Repeat: 1})
	case n%100 == 70:
		c.Disturb(slacktest.Disturbance{Event: "app_mention", Drop: true})
	}
	if open := c.OpenSockets(); len(open) > 0 {
		switch n {
		case all / 4:
			open[0].Drop()
		case all / 2:
			open[0].Disconnect("refresh_requested")
		case all * 3 / 4:
			open[0].Close(1001, "going away")
		}
	}
}

// open lists the questions that have no complete answer yet.
func (c *crowd) open(roots [][2]string, word string) []int {
	answered := map[string]bool{}
	for i := range c.channels {
		for _, m := range c.FromApps(fmt.Sprintf("CC%d", i)) {
			if m.Thread != "" && m.Stream != "in_progress" && strings.Contains(m.Shown, word) {
				answered[m.Channel+m.Thread] = true
			}
		}
	}
	var out []int
	for n, root := range roots {
		if !answered[root[0]+root[1]] {
			out = append(out, n)
		}
	}
	return out
}

func (c *crowd) exactlyOnce(t *testing.T, roots [][2]string) {
	t.Helper()
	for n, root := range roots {
		var shown []string
		for _, m := range c.InThread(root[0], root[1]) {
			if m.App != "" && !m.Deleted {
				shown = append(shown, m.Shown)
			}
		}
		if len(shown) != 1 || !strings.Contains(shown[0], fmt.Sprintf("the answer to no. %d:", n)) {
			t.Errorf("question %d has %d answers: %q", n, len(shown), shown)
		}
		if m, _ := c.MessageAt(root[0], root[1]); len(m.Reactions["eyes"]) > 0 {
			t.Errorf("question %d keeps its sign of life", n)
		}
	}
	for i := range c.channels {
		for j := range 4 {
			if e := c.Ephemerals(fmt.Sprintf("UC%dx%d", i, j)); len(e) > 0 {
				t.Errorf("somebody was told alone: %q", e[0].Shown)
			}
		}
	}
}

// acks tells how soon events were acknowledged, and where that is measured holds it
// against Slack's three seconds.
func (c *crowd) acks(t *testing.T, measured bool) {
	t.Helper()
	var took []time.Duration
	tries := 0
	for _, d := range c.Deliveries("app_mention") {
		if !d.Acked || d.Lost {
			t.Errorf("an event was never acknowledged: %+v", d.Attempts)
		}
		tries += len(d.Attempts)
		for _, a := range d.Attempts {
			if a.Latency > 0 {
				took = append(took, a.Latency)
			}
		}
	}
	slices.Sort(took)
	p99 := took[len(took)*99/100]
	t.Logf("%d tries, acknowledged: median %v, p99 %v, at most %v", tries, took[len(took)/2], p99, took[len(took)-1])
	if measured && p99 > 3*time.Second {
		t.Errorf("acknowledgements take %v (p99)", p99)
	}
}
