package discord

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

// soakKey tells the test program to be a bot instead, for the server at the
// addresses that it names.
const soakKey = "DISCORD_SOAK"

// soakWord is how long an interaction waits for its first answer.
const soakWord = 2 * time.Minute

// soakBot is a bot in a process of its own: its heap and goroutines are not those of
// the server. It answers each line that it reads with their numbers, and ends with
// its input.
func soakBot(addresses string) {
	apiURL, gatewayURL, _ := strings.Cut(addresses, " ")
	mem := newMemory()
	var ids atomic.Int64
	id := func() string { return fmt.Sprint("id", ids.Add(1)) }
	var front *bot.Front
	desk := bot.NewDesk(bot.Options{Answerer: mem, Turns: mem, NewID: id, Documents: shelf{}, Open: 1000, KeptBytes: 128 << 10,
		Audience: func(ctx context.Context, p core.Place, v core.Viewer) (core.Audience, error) {
			return front.Audience(ctx, p, v)
		}})
	front = bot.NewFront(bot.FrontOptions{Desk: desk, Ledger: mem, People: mem, Places: mem, Agents: mem})
	patient := usual // as the server is: a busy machine is no lost promise
	patient.word = soakWord
	b, err := New(Options{timing: patient,
		Apps:  []App{{Name: "acme", Token: discordtest.Token, APIURL: apiURL, GatewayURL: gatewayURL, Home: true, Guilds: []string{discordtest.Guild}}},
		Front: front, Desk: desk, Turns: mem, Threads: mem, Posts: mem, Notes: mem, Feedback: mem, Admin: mem, Bounds: mem, Choices: mem,
		NewID: id, Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		panic(err)
	}
	front.Register(platform, b)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); b.Run(ctx) }() //nolint:errcheck // the other process looks at what is shown
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		mem.forget()
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println(m.HeapAlloc, runtime.NumGoroutine(), b.States()[0].Answers, b.apps[0].api.limits.size())
	}
	cancel()
	<-done
	closing, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	desk.Close(closing) //nolint:errcheck // the process ends
}

// forget drops what a ledger would have on disk.
func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen, m.turns, m.votes, m.asked = map[string]bool{}, nil, nil, nil
	open := map[string]core.Posted{} // a map does not shrink
	for id, p := range m.posted {
		if p.Open {
			open[id] = p
		}
	}
	m.posted = open
}

// soakNumbers are what a bot tells of itself.
type soakNumbers struct{ heap, goroutines, answers, limits int }

// soakProcess starts a bot for the server and returns how to ask it.
func soakProcess(t *testing.T, srv *discordtest.Server) func() soakNumbers {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), soakKey+"="+srv.APIURL()+" "+srv.GatewayURL())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()                                                              //nolint:errcheck // it ends the process
		killed := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() }) //nolint:errcheck // it has ended
		defer killed.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the bot ended with %v", err)
		}
	})
	lines := bufio.NewReader(out)
	return func() (n soakNumbers) {
		fmt.Fprintln(in) //nolint:errcheck // the answer is missing then
		line, err := lines.ReadString('\n')
		if err == nil {
			_, err = fmt.Sscan(line, &n.heap, &n.goroutines, &n.answers, &n.limits)
		}
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// TestSoak has people use everything 10,000 times, after all that is kept for a
// while has filled: each use is acknowledged, no promise stays open, and the bot is
// as large in the end as before. What fills slowest are messages that wait for a
// question about them, so that is what people do most until then.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute: 13,000 interactions")
	}
	t.Parallel() // the bot is measured, which is another process
	const filling, uses, channels, people, window = 3_000, 13_000, 20, 400, 60
	srv := discordtest.New(t, discordtest.AnswerWithin(soakWord))
	var rooms, users, messages []string
	for i := range channels {
		rooms = append(rooms, srv.AddChannel(discordtest.Channel{Name: fmt.Sprint("room-", i)}))
	}
	for i := range people {
		users = append(users, srv.Join(fmt.Sprint("user", i)))
	}
	numbers := soakProcess(t, srv)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := srv.WaitReady(ctx, 1); err != nil {
		t.Fatal(err)
	}
	srv.Eventually("the commands", func() bool { return len(srv.Commands(""))+len(srv.Commands(discordtest.Guild)) >= len(definitions()) })
	for _, room := range rooms {
		messages = append(messages, srv.Say(room, users[0], "what people talk about"))
	}
	var ids []string
	acked := func(n int) bool {
		i, ok := srv.Interaction(ids[n])
		return !ok || i.Response != 0 || i.Failed
	}
	wait := func(n int) {
		for began := time.Now(); !acked(n); time.Sleep(time.Millisecond) {
			if time.Since(began) > soakWord {
				i, _ := srv.Interaction(ids[n])
				t.Fatalf("the use %d is not answered: %+v", n, i)
			}
		}
	}
	still := func() soakNumbers { // nothing is being written
		for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			if n := numbers(); n.answers == 0 || time.Since(began) > soakWord {
				return n
			}
		}
	}
	began := time.Now()
	var early soakNumbers
	for n := range uses {
		room, user := rooms[n%channels], users[n%people]
		kind := n % 10
		if n < filling && n%2 == 0 {
			kind = 6
		}
		switch kind {
		case 0, 1, 2:
			ids = append(ids, srv.Slash(room, user, "ask", discordtest.Options{"question": fmt.Sprint("how many, number ", n, "?")}))
		case 3:
			ids = append(ids, srv.Slash(room, user, "ask", discordtest.Options{"question": fmt.Sprint("openly, number ", n, "?"), "show": true}))
		case 4, 5:
			ids = append(ids, srv.Autocomplete(room, user, "ask", "collection", discordtest.Options{"collection": "f", "question": "x"}))
		case 6:
			ids = append(ids, srv.ContextMenu(room, user, commandAbout, messages[n%channels]))
		case 7:
			ids = append(ids, srv.Slash(room, user, "footnote whoami", discordtest.Options{}))
		case 8:
			ids = append(ids, srv.ContextMenu(room, user, commandSum, messages[n%channels]))
		default:
			if list := srv.FromBot(room); len(list) > 0 && len(list[0].Buttons) > 0 {
				ids = append(ids, srv.Click(user, list[0].ID, list[0].Buttons[0].CustomID))
			} else {
				ids = append(ids, srv.Slash(room, user, "footnote help", discordtest.Options{}))
			}
		}
		if n >= window {
			wait(n - window)
		}
		if n == filling {
			early = still()
		}
	}
	for n := uses - window; n < uses; n++ {
		wait(n)
	}
	took := time.Since(began)
	late := still()
	grown := func() bool { return late.goroutines > early.goroutines+5 || late.heap > early.heap+(1<<20) }
	for began := time.Now(); grown() && time.Since(began) < soakWord; time.Sleep(time.Second) { // what is on its way out may go
		late = still()
	}
	var acks []time.Duration
	for _, id := range ids {
		i, _ := srv.Interaction(id)
		if i.Failed || i.Response == 0 {
			t.Errorf("not answered: %+v", i)
		}
		acks = append(acks, i.AckedAfter)
	}
	slices.Sort(acks)
	open := func() (ids []string) {
		for _, room := range rooms {
			for _, m := range srv.Messages(room) {
				if m.Thinking && !m.Deleted {
					ids = append(ids, m.ID)
				}
			}
		}
		return ids
	}
	for began := time.Now(); len(open()) > 0 && time.Since(began) < soakWord; time.Sleep(50 * time.Millisecond) { // what is on its way out may come
	}
	if ids := open(); len(ids) > 0 {
		t.Errorf("promises stay open: %v", ids)
	}
	t.Logf("%d interactions in %s; acknowledged: median %s, p99 %s, at most %s; after %d: %+v, at the end: %+v",
		len(ids), took.Round(time.Second), acks[len(acks)/2], acks[len(acks)*99/100], acks[len(acks)-1], filling, early, late)
	if grown() {
		t.Errorf("%d goroutines and %d bytes became %d and %d", early.goroutines, early.heap, late.goroutines, late.heap)
	}
}
