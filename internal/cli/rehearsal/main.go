// Command rehearsal plays what Footnote talks to: a language model that only quotes
// what it found, and a Slack with one channel. Both are on loopback and need no
// account. docs/quickstart.md goes through the first steps with it.
//
//	go run ./internal/cli/rehearsal FILE
//
// writes their addresses and tokens into FILE, as lines for a shell, and runs until
// it is stopped. What is posted to ASK_URL is said to the bot in the channel; the
// reply is what the channel shows then.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// patience is how long an answer may take before the channel is shown without it.
const patience = 2 * time.Minute

// longest question that is taken, in bytes.
const longest = 4 << 10

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: rehearsal FILE")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := rehearse(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func rehearse(ctx context.Context, file string) error {
	model := modeltest.Start(modeltest.Script{Think: think, Models: []string{"scripted"}})
	defer model.Close()
	slack, err := slacktest.Start()
	if err != nil {
		return err
	}
	defer slack.Close()
	slack.AddUser(slacktest.User{ID: "U1", Name: "ann", RealName: "Ann Berg", Email: "ann@example.com", Admin: true})
	slack.AddChannel(slacktest.Channel{ID: "C1", Name: "help", Creator: "U1", Members: []string{"U1", slacktest.BotUser}})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("no port on loopback: %w", err)
	}
	srv := &http.Server{Handler: channel(slack), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(listener) }()
	lines := fmt.Sprintf("MODEL_URL=%s\nSLACK_API_URL=%s\nexport FOOTNOTE_SLACK_BOT_TOKEN=%s\nexport FOOTNOTE_SLACK_APP_TOKEN=%s\nASK_URL=http://%s/\n",
		model.URL, slack.URL(), slacktest.BotToken, slacktest.AppToken, listener.Addr())
	if err := write(file, lines); err != nil {
		return errors.Join(err, srv.Close())
	}
	fmt.Println("ready; addresses are in", file)
	select {
	case <-ctx.Done():
		return srv.Close()
	case err := <-ended:
		return err
	}
}

// write puts the lines there in one step, so that who waits for the file reads all
// of it.
func write(file, lines string) error {
	if err := os.WriteFile(file+".new", []byte(lines), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// channel says what is posted to the bot and shows what can be read then.
func channel(slack *slacktest.Server) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{$}", func(w http.ResponseWriter, r *http.Request) {
		question, err := io.ReadAll(http.MaxBytesReader(w, r.Body, longest))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		root := slack.Mention("C1", "U1", strings.TrimSpace(string(question)))
		if err := slack.Wait(ctx, func() bool { return answered(slack, root) }); err != nil {
			http.Error(w, "no answer came; is footnote serve running?\n"+slack.Dump(), http.StatusGatewayTimeout)
			return
		}
		for _, m := range slack.InThread("C1", root) {
			fmt.Fprintf(w, "%s: %s\n", m.User, m.Shown)
		}
	})
	return mux
}

// answered tells whether an answer in the thread is complete: it has sources.
func answered(slack *slacktest.Server, root string) bool {
	for _, m := range slack.InThread("C1", root) {
		if m.App != "" && m.Stream != "in_progress" && len(m.Buttons) > 0 {
			return true
		}
	}
	return false
}
