package discord

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
	"github.com/footnote-bot/footnote/bot/discord/discordtest"
	"github.com/footnote-bot/footnote/core"
)

var update = flag.Bool("update", false, "write what the scenarios show now into testdata/scenarios")

// TestScenarios runs what people do in testdata/scenarios/*.txtar and compares what
// everybody sees in the end, and which questions were asked as whom. In a file, with
// is how the bot is set up, script is what the model says, do is what happens, see
// is the outcome.
func TestScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runScenario(t, file) })
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
	var opts []discordtest.Option
	with := strings.Fields(parts["with"])
	for _, one := range with {
		if one == "content" {
			opts = append(opts, discordtest.WithPrivileged(discordtest.MessageContent))
		}
	}
	w := stillWorld(t, opts...)
	s := &scene{world: w, ids: map[string]string{"general": w.general, "secret": w.secret, "ann": w.ann, "bob": w.bob, "hal": w.hal, "owner": discordtest.Owner}}
	w.start(func(o *Options) {
		for _, one := range with {
			s.setUp(o, one)
		}
	})
	w.script(readScript(t, parts["script"])...)
	for i, line := range strings.Split(strings.TrimSpace(parts["do"]), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			s.do(i+1, line)
		}
	}
	w.settled()
	if open, err := w.mem.Unfinished(t.Context(), platform); err != nil || len(open) > 0 {
		t.Errorf("the books say that answers are still being written: %+v", open)
	}
	got := s.named(folded(w.Dump()) + s.questionsText())
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
	dump = regexp.MustCompile(`(?m)^( *m\d+ footnote.*?) \(edited \d+\)`).ReplaceAllString(dump, "$1")
	lines := strings.Split(dump, "\n")
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
		first, after, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(first) //nolint:errcheck // 0 where there is none
		var s step
		switch verb {
		case "":
			continue
		case "say":
			s.event = core.TextDelta{Delta: rest}
		case "repeat": // repeat N text
			s.event = core.TextDelta{Delta: strings.Repeat(after, n)}
		case "cite": // cite N document url
			document, url, _ := strings.Cut(after, " ")
			s.event = core.Cited{Number: n, DocumentID: document, URL: url}
		case "notice":
			s.event = core.Noticed{Kind: "note", Text: rest}
		case "offer":
			s.event = core.Offered{Kind: "private", Text: rest}
		case "wait":
			s.wait = rest
		case "fail":
			s.err = core.Errorf(core.Kind(first), "%s", after)
		default:
			t.Fatalf("script: %q is nothing that a model does", line)
		}
		out = append(out, s)
	}
	return out
}

// scene is a scenario under way; messages, channels and people have names.
type scene struct {
	*world
	ids map[string]string
}

func (s *scene) setUp(o *Options, what string) {
	app := &o.Apps[0]
	switch what {
	case "content":
		app.Content = true
	case "threads":
		app.Threads = true
	case "unbound":
		app.Guilds = nil
	case "robot":
		app.AllowBots = []string{"4444"}
	default:
		s.t.Fatalf("with: %q is nothing that can be set up", what)
	}
}

// id is what is called so; digits stand for themselves.
func (s *scene) id(n int, name string) string {
	s.t.Helper()
	if user, ok := strings.CutPrefix(name, "dm-"); ok {
		return s.OpenDM(s.id(n, user))
	}
	if id := s.ids[name]; id != "" {
		return id
	}
	if !digits(name) {
		s.t.Fatalf("line %d: nothing is called %q", n, name)
	}
	return name
}

// do runs one line: [NAME =] VERB ARGUMENTS.
func (s *scene) do(n int, line string) {
	s.t.Helper()
	name := ""
	if before, after, ok := strings.Cut(line, " = "); ok && !strings.Contains(before, " ") {
		name, line = before, after
	}
	f := strings.Fields(line)
	at := func(i int) string { return s.id(n, f[min(i, len(f)-1)]) }
	rest := func(i int) string {
		return strings.ReplaceAll(strings.Join(f[min(i, len(f)):], " "), "@footnote", "<@"+discordtest.BotUser+">")
	}
	out := ""
	switch f[0] {
	case "mention":
		out = s.Mention(at(1), at(2), rest(3))
	case "say":
		out = s.Say(at(1), at(2), rest(3))
	case "reply": // reply CHANNEL USER MESSAGE TEXT
		out = s.Reply(at(1), at(2), at(3), rest(4))
	case "reply-bot": // to the newest message of the bot
		list := s.FromBot(at(1))
		out = s.Reply(at(1), at(2), list[len(list)-1].ID, rest(3))
	case "dm":
		out = s.DM(at(1), rest(2))
	case "file":
		out = s.Mention(at(1), at(2), rest(4), discordtest.WithFiles(discordtest.File{Name: f[3], Type: "text/plain", Data: []byte("the content of the file")}))
	case "edit":
		s.Edit(at(1), rest(2))
	case "delete":
		s.Delete(at(1))
	case "thread":
		out = s.StartThread(at(1), at(2), rest(3))
	case "forum":
		out = s.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: f[1], Kind: discordtest.Forum})
	case "post":
		out = s.Post(at(1), at(2), f[3], rest(4))
	case "private-thread":
		out = s.AddChannel(discordtest.Channel{Guild: discordtest.Guild, Name: f[1], Kind: discordtest.PrivateThread, Parent: at(2), Owner: at(3),
			Members: []string{at(3), discordtest.BotUser}})
	case "robot":
		s.AddUser(discordtest.User{ID: "4444", Name: "robot", Bot: true})
		s.AddMember(discordtest.Member{Guild: discordtest.Guild, User: "4444"})
	case "webhook":
		out = s.SayWebhook(at(1), f[2], rest(3))
	case "ask":
		s.Slash(at(1), at(2), "ask", discordtest.Options{"question": rest(3)})
	case "ask-openly":
		s.Slash(at(1), at(2), "ask", discordtest.Options{"question": rest(3), "show": true})
	case "new":
		s.Slash(at(1), at(2), "new", discordtest.Options{})
	case "footnote": // footnote CHANNEL USER VERB [KEY=VALUE]
		options := discordtest.Options{}
		for _, kv := range f[4:] {
			k, v, _ := strings.Cut(kv, "=")
			options[k] = v
		}
		s.Slash(at(1), at(2), "footnote "+f[3], options)
	case "menu-ask":
		s.ContextMenu(at(1), at(2), commandAbout, at(3))
		s.Eventually("a form", func() bool { _, _, _, open := s.Modal(at(2)); return open })
	case "menu-sum":
		s.ContextMenu(at(1), at(2), commandSum, at(3))
	case "submit":
		s.Eventually("a form", func() bool { _, _, _, open := s.Modal(at(1)); return open })
		s.SubmitModal(at(1), map[string]string{"text": rest(2)})
	case "click": // click USER CHANNEL LABEL: the newest message that has it
		s.click(at(1), at(2), rest(3))
	case "person":
		s.linked(at(1), f[2])
	case "set":
		s.setting(at(1), rest(2))
	case "limit":
		s.mem.mu.Lock()
		s.mem.limit = 90 * time.Second
		s.mem.mu.Unlock()
	case "open":
		s.RemoveOverwrite(at(1), discordtest.Guild)
	case "take-role":
		s.TakeRole(at(1), s.staff)
	case "seen": // seen CHANNEL TEXT: somebody reads it
		s.Eventually(rest(2)+" in "+f[1], func() bool { return strings.Contains(strings.Join(s.answers(at(1)), "\n"), rest(2)) })
	case "told": // told USER TEXT: only they see it
		s.Eventually(rest(2)+" for "+f[1], func() bool { return strings.Contains(strings.Join(s.whispers(at(1)), "\n"), rest(2)) })
	case "let":
		s.let(f[1])
	case "settle":
		s.settled()
	default:
		s.t.Fatalf("line %d: %q is nothing that happens", n, line)
	}
	if name != "" {
		s.ids[name] = out
	}
}

// click presses a button on the newest message that has it.
func (s *scene) click(user, channel, label string) {
	s.t.Helper()
	list := append(s.FromBot(channel), s.Ephemerals(user)...)
	for i := len(list) - 1; i >= 0; i-- {
		for _, b := range list[i].Buttons {
			if !list[i].Deleted && (b.Label == label || strings.HasPrefix(b.CustomID, label+":")) {
				s.Click(user, list[i].ID, b.CustomID)
				return
			}
		}
	}
	s.t.Fatalf("nothing has a button %q\n%s", label, s.Dump())
}

func (s *scene) setting(channel, text string) {
	s.mem.mu.Lock()
	set := s.mem.settings[placeID(discordtest.Guild, channel)]
	s.mem.mu.Unlock()
	key, value, _ := strings.Cut(text, " ")
	switch key {
	case "mode":
		set.Mode = bot.Mode(value)
	case "help":
		set.Helpers = s.ids[value]
	case "private":
		set.Private = true
	case "canned":
		set.Canned = []bot.Canned{{Name: "c", Any: []string{value}, Answer: "Look at **the wiki**.", Listed: true}}
	default:
		s.t.Fatalf("%q is no setting", key)
	}
	s.set(channel, set)
}

// named puts names in the place of ids.
func (s *scene) named(text string) string {
	var pairs []string
	for name, id := range s.ids {
		if name == "" || id == "" {
			continue
		}
		pairs = append(pairs, id, name)
		if digits(id) && strings.HasPrefix(name, "ann") || name == "bob" || name == "hal" {
			pairs = append(pairs, s.OpenDM(id), "dm-"+name)
		}
	}
	return strings.NewReplacer(append(pairs, discordtest.BotUser, "footnote")...).Replace(text)
}

// questionsText lists what was asked, as whom and for which readers.
func (s *scene) questionsText() string {
	var b strings.Builder
	for _, q := range s.questions() {
		b.WriteString("== asked by " + q.Viewer.Account + " in " + q.Place.ID + " (" + q.Audience.Class + ")\n    " +
			strings.ReplaceAll(q.Text, "\n", "\n    ") + "\n")
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
