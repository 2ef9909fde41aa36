package discord

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

// step is one thing that a scripted turn does.
type step struct {
	event core.Event
	wait  string // for the test to let it go on
	err   error
}

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
	notes    map[string]string
	settings map[string]bot.Settings
	persons  map[string]core.Viewer // by account key
	bound    func(core.Place) core.Place
	limit    time.Duration
	broken   error
	script   func(core.Question) []step
	asked    []core.Question
	gates    map[string]chan struct{}
	changed  []string
}

func newMemory() *memory {
	return &memory{
		seen: map[string]bool{}, quiet: map[string]bool{}, posted: map[string]core.Posted{}, helps: map[string]core.HelpRequest{},
		notes: map[string]string{}, settings: map[string]bot.Settings{}, persons: map[string]core.Viewer{}, gates: map[string]chan struct{}{},
		script: func(core.Question) []step { return say("Fourteen days.") },
	}
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
	if a.Class != core.AccountMember { // as core/access has it
		v.Email, v.Principals = "", nil
	}
	v.Principals = append([]core.Principal{core.Public}, v.Principals...)
	return v, nil
}

func (m *memory) Again(_ context.Context, v core.Viewer) (core.Viewer, error) { return v, nil }

func (m *memory) Settings(_ context.Context, place string) (bot.Settings, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.settings[place], nil
}

func (m *memory) Bound(_ context.Context, p core.Place) (core.Place, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bound != nil {
		p = m.bound(p)
	}
	return p, nil
}

func (m *memory) Agent(name string) (core.Agent, bool) {
	return core.Agent{Name: name}, name == "default" || name == "legal"
}

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

func (m *memory) Note(_ context.Context, key string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.notes[key], nil
}

func (m *memory) SetNote(_ context.Context, key, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notes[key] = value
	return nil
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

func (m *memory) Link(_ context.Context, a core.Account, code string) (string, error) {
	if code != "GOOD" {
		return "", core.Errorf(core.KindDenied, "This code is wrong or too old.")
	}
	return "ann@example.com", nil
}

func (m *memory) Status(context.Context, core.Viewer) ([]string, error) {
	return []string{"handbook: fresh"}, nil
}

func (m *memory) Agents(context.Context, core.Place, core.Viewer) ([]string, error) {
	return []string{"default", "legal"}, nil
}

func (m *memory) Collections(_ context.Context, _ core.Place, v core.Viewer) ([]string, error) {
	if v.Email == "" {
		return []string{"faq"}, nil
	}
	return []string{"faq", "salaries"}, nil
}

// shelf is the ledger's word on documents: the part of an id before # is who may
// read the document.
type shelf struct{}

func factsOf(id string) core.Facts {
	p, _, _ := strings.Cut(id, "#")
	return core.Facts{Document: id, Access: core.NewAccess(core.Principal(p))}
}

func (shelf) Readable(_ context.Context, f core.Filter, ids []string) (map[string]bool, error) {
	out := map[string]bool{}
	for _, id := range ids {
		out[id] = f.Allows(factsOf(id))
	}
	return out, nil
}

func (shelf) Around(_ context.Context, f core.Filter, windows []core.Window) ([][]core.Result, error) {
	out := make([][]core.Result, len(windows))
	for i, w := range windows {
		if d := factsOf(w.Document); f.Allows(d) {
			out[i] = []core.Result{{Document: core.Document{ID: w.Document, Title: "Title of " + w.Document, Access: d.Access}}}
		}
	}
	return out, nil
}

// Answer runs the script of the test.
func (m *memory) Answer(ctx context.Context, q core.Question, emit func(core.Event)) (core.Turn, error) {
	m.mu.Lock()
	m.asked = append(m.asked, q)
	steps := m.script(q)
	m.mu.Unlock()
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
		case s.err != nil:
			return core.Turn{}, s.err
		default:
			if d, ok := s.event.(core.TextDelta); ok {
				text.WriteString(d.Delta)
			}
			if c, ok := s.event.(core.Cited); ok {
				t.Answer.Citations = append(t.Answer.Citations, core.Citation{Number: c.Number, URL: c.URL, DocumentID: c.DocumentID, Title: "Title " + strconv.Itoa(c.Number)})
				if c.DocumentID != "" {
					t.Used = append(t.Used, c.DocumentID)
				}
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

// Curator tells that a name is one's.
func (m *memory) Curator(a core.Account, _ core.Viewer) bool { return a.Name == "ann" }

// Mark notes what she says.
func (m *memory) Mark(_ context.Context, a core.Account, _ core.Viewer, t core.Turn, number int, mark bot.Mark) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed = append(m.changed, a.Name+" marks "+t.Answer.Citations[number-1].DocumentID+" as "+string(mark))
	return t.Answer.Citations[number-1].Title, nil
}

// KnownSource tells that there is a wiki.
func (shelf) KnownSource(_ context.Context, name string, _ core.Audience) (bool, error) {
	return name == "wiki", nil
}

// ChannelRules tells that every channel is stored.
func (shelf) ChannelRules(_ context.Context, _ core.Place, id string, _ core.Audience) ([]core.Collection, error) {
	return []core.Collection{{Folders: []string{"chat/" + id}}}, nil
}

// Authored tells that bob wrote something.
func (shelf) Authored(_ context.Context, names []string, _ core.Audience) ([]string, error) {
	if slices.Contains(names, "bob") {
		return []string{"wiki/1"}, nil
	}
	return nil, nil
}
