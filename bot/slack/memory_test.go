package slack

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// memory is the ledger of the tests, and who people are and what places are set
// to. Only what the platforms need of it is there.
type memory struct {
	mu       sync.Mutex
	seen     map[string]bool
	turns    []core.Turn
	quiet    map[string]bool
	posted   map[string]core.Posted
	votes    []core.Vote
	helps    map[string]core.HelpRequest
	settings map[string]bot.Settings
	external map[string]bool
	persons  map[string]core.Viewer // by account key
	limit    time.Duration
	broken   error
	script   func(core.Question) []step
	asked    []core.Question
	gates    map[string]chan struct{}
	changed  []string
	unset    error     // settings cannot be read
	panics   bool      // settings of a place panic
	open     bool      // everybody may read every document
	updated  time.Time // of what is cited
	held     chan struct{}
}

// hold has the model wait until the returned function is called.
func (m *memory) hold() (release func()) {
	held := make(chan struct{})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = held
	return func() { close(held) }
}

// Readable tells that the asker may read everything, and others if it is open.
func (m *memory) Readable(_ context.Context, f core.Filter, ids []string) (map[string]bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]bool{}
	for _, id := range ids {
		out[id] = m.open || slices.ContainsFunc(f.Principals, func(p core.Principal) bool { return strings.HasPrefix(string(p), "user:") })
	}
	return out, nil
}

func (m *memory) Around(ctx context.Context, f core.Filter, windows []core.Window) ([][]core.Result, error) {
	out := make([][]core.Result, len(windows))
	for i, w := range windows {
		ok, err := m.Readable(ctx, f, []string{w.Document})
		if err != nil {
			return nil, err
		}
		if ok[w.Document] {
			out[i] = []core.Result{{Document: core.Document{Title: "Title of " + w.Document, Access: core.NewAccess(core.Public)}}}
		}
	}
	return out, nil
}

func (m *memory) FirstSeen(_ context.Context, key string, _ time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken != nil {
		return false, m.broken
	}
	first := !m.seen[key]
	m.seen[key] = true
	return first, nil
}

func (m *memory) TakeFrom(context.Context, string, core.Rate, time.Time) (time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.limit, nil
}

func (m *memory) ThreadFacts(_ context.Context, thread string) (core.ThreadFacts, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := core.ThreadFacts{Stopped: m.quiet[thread]}
	for _, t := range m.turns {
		if t.Thread != thread {
			continue
		}
		f.Turns++
		f.Last = t.Started
		if !slices.Contains(f.People, t.Account) {
			f.People = append(f.People, t.Account)
		}
		if f.BotTurns++; !strings.HasSuffix(t.Account, "/U9") { // robo
			f.BotTurns = 0
		}
	}
	return f, nil
}

func (m *memory) SetQuiet(_ context.Context, thread string, quiet bool, _ time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.quiet[thread] = quiet
	return nil
}

func (m *memory) Viewer(_ context.Context, a core.Account) (core.Viewer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.persons[a.Key()]
	v.Account, v.Class, v.Name = a.Key(), a.Class, a.Name
	if a.Class == core.AccountMember && a.Verified {
		v.Email = a.Email
		v.Principals = append([]core.Principal{core.Public, core.WorkspaceOf(a.Team), core.User(a.Email)}, v.Principals...)
	}
	return v, nil
}

func (m *memory) Again(_ context.Context, v core.Viewer) (core.Viewer, error) { return v, nil }

func (m *memory) Settings(_ context.Context, place string) (bot.Settings, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.settings[place], m.unset
}

func (m *memory) Bound(_ context.Context, p core.Place) (core.Place, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.panics {
		m.panics = false
		panic("bound")
	}
	p.External = m.external[p.ID]
	return p, nil
}

func (m *memory) Agent(name string) (core.Agent, bool) { return core.Agent{}, name == "default" }

func (m *memory) Turn(_ context.Context, id string) (core.Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.turns {
		if t.ID == id {
			return t, nil
		}
	}
	return core.Turn{}, core.Errorf(core.KindNotFound, "There is no turn %q.", id)
}

func (m *memory) Thread(_ context.Context, thread string) ([]core.Turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []core.Turn
	for _, t := range m.turns {
		if t.Thread == thread {
			out = append(out, t)
		}
	}
	return out, nil
}

func (m *memory) Branch(ctx context.Context, id string) ([]core.Turn, error) {
	t, err := m.Turn(ctx, id)
	if err != nil {
		return nil, err
	}
	return m.Thread(ctx, t.Thread)
}

func (m *memory) Expect(ctx context.Context, key string, now time.Time, answer func() core.Posted) (bool, error) {
	first, err := m.FirstSeen(ctx, key, now)
	if err != nil || !first {
		return false, err
	}
	return true, m.PutPosted(ctx, answer())
}

func (m *memory) PutPosted(_ context.Context, p core.Posted) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.posted[p.ID] = p
	return nil
}

func (m *memory) Posted(_ context.Context, id string) (core.Posted, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.posted[id]
	if !ok {
		return p, core.Errorf(core.KindNotFound, "There is no answer %q.", id)
	}
	return p, nil
}

func (m *memory) Unfinished(context.Context, string) ([]core.Posted, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []core.Posted
	for _, p := range m.posted {
		if p.Open {
			out = append(out, p)
		}
	}
	return out, nil
}

func (m *memory) PutVote(_ context.Context, v core.Vote) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.votes = append(m.votes, v)
	return nil
}

func (m *memory) PutHelp(_ context.Context, h core.HelpRequest) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.helps[h.ID] = h
	return nil
}

func (m *memory) Help(_ context.Context, id string) (core.HelpRequest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h, ok := m.helps[id]
	if !ok {
		return h, core.Errorf(core.KindNotFound, "There is no call for help %q.", id)
	}
	return h, nil
}

func (m *memory) Configure(_ context.Context, p core.Place, by Actor, key, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !by.Manager {
		return core.Errorf(core.KindDenied, "Only who manages the channel may change that.")
	}
	m.changed = append(m.changed, p.ID+" "+key+"="+value)
	return nil
}

func (m *memory) Sources(context.Context, core.Place, core.Viewer) ([]string, error) {
	return []string{"handbook"}, nil
}

func (m *memory) Link(_ context.Context, _ core.Account, code string) (string, error) {
	if code != "GOOD" {
		return "", core.Errorf(core.KindDenied, "This code is wrong or too old.")
	}
	return "ann@example.com", nil
}

func (m *memory) Recent(context.Context, core.Account, int) ([]core.PastQuestion, error) {
	return []core.PastQuestion{{Question: "what is <the> policy"}}, nil
}

func (m *memory) Status(context.Context, core.Viewer) ([]string, error) {
	return []string{"handbook: fresh"}, nil
}

// Answer runs the script of the test.
func (m *memory) Answer(ctx context.Context, q core.Question, emit func(core.Event)) (core.Turn, error) {
	m.mu.Lock()
	m.asked = append(m.asked, q)
	steps, held := m.script(q), m.held
	m.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
		}
	}
	t := core.Turn{
		ID: q.TurnID, Thread: q.Place.Thread, Place: q.Place.ID, Class: q.Audience.Class, Scope: q.Audience.Scope(),
		Asker: q.Viewer.Email, Account: q.Viewer.Account, Question: q.Text, Started: time.Now(), Parent: q.Parent,
	}
	var text strings.Builder
	for _, s := range steps {
		if ctx.Err() != nil {
			break
		}
		switch {
		case s.wait != "":
			select {
			case <-m.gate(s.wait):
			case <-ctx.Done():
			}
		case s.pause > 0:
			sleep(ctx, s.pause) //nolint:errcheck // looked at above
		case s.err != nil:
			return core.Turn{}, s.err
		default:
			if d, ok := s.event.(core.TextDelta); ok {
				text.WriteString(d.Delta)
			}
			if c, ok := s.event.(core.Cited); ok {
				t.Answer.Citations = append(t.Answer.Citations, core.Citation{Number: c.Number, URL: c.URL, Title: "Title " + strconv.Itoa(c.Number), DocumentID: "d" + strconv.Itoa(c.Number), Updated: m.updated})
			}
			emit(s.event)
		}
	}
	t.Answer.Text, t.Answer.TurnID, t.Answer.Mode = text.String(), q.TurnID, core.ModeModel
	t.Answer.Stopped = ctx.Err() != nil
	m.mu.Lock()
	defer m.mu.Unlock()
	if !errors.Is(context.Cause(ctx), core.ErrWithdrawn) {
		m.turns = append(m.turns, t)
	}
	return t, nil
}

func (m *memory) gate(name string) chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gates[name] == nil {
		m.gates[name] = make(chan struct{})
	}
	return m.gates[name]
}

// Curator tells that ann is one.
func (m *memory) Curator(a core.Account, _ core.Viewer) bool { return a.ID == "U1" }

// Mark notes what she says.
func (m *memory) Mark(_ context.Context, a core.Account, _ core.Viewer, t core.Turn, number int, mark bot.Mark) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed = append(m.changed, a.ID+" marks "+t.Answer.Citations[number-1].DocumentID+" as "+string(mark))
	return t.Answer.Citations[number-1].Title, nil
}

// KnownSource tells that there is a wiki.
func (m *memory) KnownSource(_ context.Context, name string, _ core.Audience) (bool, error) {
	return name == "wiki", nil
}

// ChannelRules tells that #general is stored.
func (m *memory) ChannelRules(_ context.Context, _ core.Place, id string, _ core.Audience) ([]core.Collection, error) {
	if id != "C1" {
		return nil, nil
	}
	return []core.Collection{{Folders: []string{"chat/C1"}}}, nil
}

// Authored tells that bob wrote something.
func (m *memory) Authored(_ context.Context, names []string, _ core.Audience) ([]string, error) {
	if slices.Contains(names, "bob@example.com") {
		return []string{"wiki/1"}, nil
	}
	return nil, nil
}
