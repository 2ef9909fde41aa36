package slack

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core"
)

var update = flag.Bool("update", false, "write what the scenarios show now into testdata/scenarios")

// TestScenarios runs what people do in testdata/scenarios/*.txtar and compares
// what everybody sees in the end, and which questions were asked as whom. In a
// file, script is what the model says, do is what happens, see is the outcome.
func TestScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			runScenario(t, file)
		})
	}
}

func runScenario(t *testing.T, file string) {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(raw)
	parts := map[string]string{}
	for _, f := range a.Files {
		parts[f.Name] = string(f.Data)
	}
	var opts []slacktest.Option
	if strings.Contains(parts["do"], "no-streams") {
		opts = append(opts, slacktest.NoStreamsIn(slacktest.Public, slacktest.Private, slacktest.DirectMessage, slacktest.GroupMessage))
	}
	if strings.Contains(parts["do"], "message-first") {
		opts = append(opts, slacktest.MessageBeforeMention())
	}
	w := newWorld(t, func(o *Options) {
		if strings.Contains(parts["do"], "curators") {
			o.Curation = o.Feedback.(*memory)
		}
		if strings.Contains(parts["do"], "allow-robo") {
			o.Workspaces[0].AllowBots = []string{"B9"}
		}
	}, opts...)
	w.script(readScript(t, parts["script"])...)
	s := &scene{world: w, ts: map[string]string{}}
	for i, line := range strings.Split(strings.TrimSpace(parts["do"]), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			s.do(i+1, line)
		}
	}
	w.settled()
	if open, err := w.mem.Unfinished(t.Context(), platform); err != nil || len(open) > 0 {
		t.Errorf("the books say that answers are still being written: %+v", open)
	}
	got := folded(w.Dump()) + s.questionsText()
	if *update {
		for i := range a.Files {
			if a.Files[i].Name == "see" {
				a.Files[i].Data = []byte(got)
			}
		}
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(parts["see"], got); diff != "" {
		t.Errorf("people see something else (-want +got):\n%s", diff)
	}
}

// folded shortens lines that are too long to look at, and leaves out how often the
// bot changed a message: a busy machine shows a draft where others do not.
func folded(dump string) string {
	dump = regexp.MustCompile(`(?m)^( *t\d+ footnote.*?) \(edited \d+\)`).ReplaceAllString(dump, "$1")
	lines := strings.Split(regexp.MustCompile(`/p\d{16}`).ReplaceAllString(dump, "/pTS"), "\n")
	for i, l := range lines {
		if len(l) > 600 {
			lines[i] = l[:60] + " … " + l[len(l)-30:] + " (" + strconv.Itoa(len(l)) + " bytes)"
		}
	}
	return strings.Join(lines, "\n")
}

// readScript reads what the model does, a line each.
func readScript(t *testing.T, text string) []step {
	t.Helper()
	var out []step
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		verb, rest, _ := strings.Cut(line, " ")
		rest = strings.ReplaceAll(rest, `\n`, "\n")
		var s step
		switch verb {
		case "":
			continue
		case "say":
			s.event = core.TextDelta{Delta: rest}
		case "repeat": // repeat N text
			n, what, _ := strings.Cut(rest, " ")
			times, err := strconv.Atoi(n)
			if err != nil {
				t.Fatalf("script: %q", line)
			}
			s.event = core.TextDelta{Delta: strings.Repeat(what, times)}
		case "cite":
			n, url, _ := strings.Cut(rest, " ")
			number, err := strconv.Atoi(n)
			if err != nil {
				t.Fatalf("script: %q", line)
			}
			s.event = core.Cited{Number: number, URL: url}
		case "status":
			s.event = core.StatusChanged{Stage: rest}
		case "notice":
			s.event = core.Noticed{Kind: "note", Text: rest}
		case "offer":
			s.event = core.Offered{Kind: "private", Text: rest}
		case "wait":
			s.wait = rest
		case "pause":
			d, err := time.ParseDuration(rest)
			if err != nil {
				t.Fatal(err)
			}
			s.pause = d
		case "fail":
			kind, what, _ := strings.Cut(rest, " ")
			s.err = core.Errorf(core.Kind(kind), "%s", what)
		default:
			t.Fatalf("script: %q is nothing that a model does", line)
		}
		out = append(out, s)
	}
	return out
}

// scene is a scenario under way; messages have names.
type scene struct {
	*world
	ts    map[string]string
	stuck *stuck
}

// do runs one line: [NAME =] VERB ARGUMENTS.
func (s *scene) do(n int, line string) {
	s.t.Helper()
	name := ""
	if before, after, ok := strings.Cut(line, " = "); ok && !strings.Contains(before, " ") {
		name, line = before, after
	}
	f := strings.Fields(line)
	for i := range f {
		if user, ok := map[string]string{"D_ann": "U1", "D_hal": "U4"}[f[i]]; ok {
			f[i] = s.DMChannel(user)
		}
	}
	rest := func(i int) string { // the words from the ith on
		return strings.ReplaceAll(strings.Join(f[min(i, len(f)):], " "), "@footnote", "<@"+slacktest.BotUser+">")
	}
	ts := func(i int) string {
		if v, ok := s.ts[f[i]]; ok {
			return v
		}
		s.t.Fatalf("line %d: no message is called %q", n, f[i])
		return ""
	}
	out := ""
	switch f[0] {
	case "no-streams", "message-first", "allow-robo", "curators":
	case "german":
		s.ChangeUser(f[1], func(u *slacktest.User) { u.Locale = "de-DE" })
	case "short-streams":
		s.bot.apps[0].streamAge = 700 * time.Millisecond
	case "aged": // aged DAYS: how old what is cited is
		days, _ := strconv.Atoi(f[1]) //nolint:errcheck // 0 is today
		s.mem.mu.Lock()
		s.mem.updated = time.Now().AddDate(0, 0, -days)
		s.mem.mu.Unlock()
	case "readable":
		s.mem.mu.Lock()
		s.mem.open = true
		s.mem.mu.Unlock()
	case "mention":
		out = s.Mention(f[1], f[2], rest(3))
	case "message":
		out = s.Message(f[1], f[2], rest(3))
	case "reply":
		out = s.Reply(f[1], ts(2), f[3], rest(4))
	case "mention-in":
		out = s.MentionIn(f[1], ts(2), f[3], rest(4))
	case "dm":
		_, out = s.DM(f[1], rest(2))
	case "file":
		out = s.Say(slacktest.Say{Channel: f[1], User: f[2], Text: "<@" + slacktest.BotUser + "> " + rest(5),
			Files: []slacktest.FileData{{Name: f[3], Type: f[4], Data: []byte("the content of the file")}}})
	case "edit":
		s.Edit(f[1], ts(2), rest(3))
	case "delete":
		s.Delete(f[1], ts(2))
	case "slash":
		release := s.mem.hold() // the first word stands there before the answer
		s.acked(s.Slash(f[1], f[2], f[3], rest(4)))
		release()
	case "shortcut":
		s.MessageShortcut(f[1], shortcutAsk, f[2], ts(3))
		s.Eventually("a form", func() bool { _, ok := s.Modal(f[1]); return ok })
	case "submit":
		values := map[string]string{}
		for _, kv := range strings.Split(rest(2), "; ") {
			k, v, _ := strings.Cut(kv, ": ")
			values[k] = v
		}
		s.SubmitModal(f[1], values)
	case "home":
		s.OpenHome(f[1], "home")
	case "pane":
		_, out = s.OpenPane(f[1], f[2])
	case "click": // click USER CHANNEL LABEL: the newest message of the bot
		s.click(f[1], f[2], rest(3))
	case "join":
		s.JoinChannel(f[1], f[2], "U1")
	case "share":
		s.AddWorkspace(slacktest.Workspace{ID: "T2", Name: "other", Domain: "other"})
		s.ShareChannel(f[1], "T2")
	case "external":
		s.mem.mu.Lock()
		s.mem.external[placeID(slacktest.Team, f[1])] = true
		s.mem.mu.Unlock()
	case "set":
		s.setting(f[1], rest(2))
	case "limit":
		s.mem.mu.Lock()
		s.mem.limit = 90 * time.Second
		s.mem.mu.Unlock()
	case "break": // break METHOD CODE [TIMES]
		times := 1
		if len(f) > 3 {
			times, _ = strconv.Atoi(f[3]) //nolint:errcheck // 0 is once
		}
		s.Fail(f[1], slacktest.Fault{Error: f[2], Times: times, Messages: []string{"[ERROR] no more than 3000 characters [json-pointer:/blocks/0/text]"}})
	case "slow-down":
		seconds := 1
		if len(f) > 2 {
			seconds, _ = strconv.Atoi(f[2]) //nolint:errcheck // 0 is at once
		}
		s.Fail(f[1], slacktest.Fault{Status: 429, RetryAfter: seconds})
	case "stick": // stick METHOD: its next call is held until it is let go, to come again in a second
		s.stuck = s.stick(f[1], slacktest.Fault{Status: 429, RetryAfter: 1})
	case "caught":
		s.stuck.caught()
	case "unstick":
		s.stuck.release()
	case "pause":
		d, err := time.ParseDuration(f[1])
		if err != nil {
			s.t.Fatal(err)
		}
		sleep(s.t.Context(), d) //nolint:errcheck // the test ends
	case "seen": // seen CHANNEL TEXT: somebody reads it
		s.Eventually(rest(2)+" in "+f[1], func() bool {
			for _, m := range s.FromApps(f[1]) {
				if strings.Contains(m.Shown, rest(2)) {
					return true
				}
			}
			return false
		})
	case "told": // told USER TEXT: only they see it
		s.Eventually(rest(2)+" for "+f[1], func() bool {
			for _, m := range s.Ephemerals(f[1]) {
				if strings.Contains(m.Shown, rest(2)) {
					return true
				}
			}
			return false
		})
	case "asked":
		s.Eventually("a question", func() bool { return len(s.questions()) > 0 })
	case "arrived": // all events have been handled
		s.arrived()
		s.Eventually("an empty queue", func() bool { return s.bot.apps[0].queue.Open() == 0 })
	case "let":
		s.let(f[1])
	case "settle":
		s.settled()
	default:
		s.t.Fatalf("line %d: %q is nothing that happens", n, line)
	}
	if name != "" {
		s.ts[name] = out
	}
}

// click presses a button on the newest message that has it.
func (s *scene) click(user, channel, label string) {
	s.t.Helper()
	list := append(s.FromApps(channel), s.Ephemerals(user)...)
	for i := len(list) - 1; i >= 0; i-- {
		if strings.Contains(list[i].Shown, "["+label+"]") {
			s.Click(user, list[i].Channel, list[i].TS, label)
			return
		}
	}
	s.t.Fatalf("nothing has a button %q\n%s", label, s.Dump())
}

func (s *scene) setting(channel, text string) {
	s.mem.mu.Lock()
	defer s.mem.mu.Unlock()
	id := placeID(slacktest.Team, channel)
	set := s.mem.settings[id]
	key, value, _ := strings.Cut(text, " ")
	switch key {
	case "mode":
		set.Mode = bot.Mode(value)
	case "help":
		set.Helpers = value
	case "private":
		set.Private = true
	case "allow":
		set.Allow = strings.Fields(value)
	case "sourced":
		set.OnlySourced = true
	case "canned":
		set.Canned = []bot.Canned{{Name: "c", Any: []string{value}, Answer: "Look at **the wiki**."}}
	}
	s.mem.settings[id] = set
}

// questionsText lists what was asked, as whom and for which readers.
func (s *scene) questionsText() string {
	var b strings.Builder
	for _, q := range s.questions() {
		b.WriteString("== asked by " + q.Viewer.Account + " in " + q.Place.ID + " (" + q.Audience.Class + ")\n    " +
			strings.ReplaceAll(q.Text, "\n", "\n    ") + "\n")
		if q.Narrow.On() {
			b.WriteString("    narrowed by " + strings.Join(q.Narrow.Said, ", ") + " to " + q.Narrow.Text + "\n")
		}
		for _, said := range q.Context {
			b.WriteString("    context " + said.Author + ": " + said.Text + "\n")
		}
		for _, f := range q.Files {
			b.WriteString("    file " + f.Name + ": " + f.Text + "\n")
		}
		for _, h := range q.History {
			b.WriteString("    history: " + h.Question + "\n")
		}
	}
	s.mem.mu.Lock()
	defer s.mem.mu.Unlock()
	for _, v := range s.mem.votes {
		b.WriteString("== vote of " + v.Account + " up=" + strconv.FormatBool(v.Up) + " " + v.Reason + "\n")
	}
	for _, c := range s.mem.changed {
		b.WriteString("== set " + c + "\n")
	}
	return b.String()
}
