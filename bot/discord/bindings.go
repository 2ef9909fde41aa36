package discord

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
)

const (
	bindingsKey = "discord bindings"
	bindTime    = 15 * time.Minute
	mostBinding = 50 // codes that wait at the same time
)

// Bindings are the guilds that the owner bound, kept as a note. Bindings made of
// the same notes in several processes see each other's work, as long as only one
// writes at a time.
type Bindings struct {
	notes Notes
	now   func() time.Time
	mu    sync.Mutex
}

// NewBindings makes them; now is nil for the clock.
func NewBindings(notes Notes, now func() time.Time) *Bindings {
	if now == nil {
		now = time.Now
	}
	return &Bindings{notes: notes, now: now}
}

// Binding is a guild that was bound, or waits for that.
type Binding struct {
	Guild string    `json:"guild"`
	Name  string    `json:"name"`
	By    string    `json:"by"` // key of the account that began it
	At    time.Time `json:"at"`
	Code  string    `json:"code,omitempty"` // while it waits
}

type bindings struct {
	Bound   []Binding `json:"bound"`
	Waiting []Binding `json:"waiting"`
}

func (b *Bindings) read(ctx context.Context) (bindings, error) {
	var out bindings
	raw, err := b.notes.Note(ctx, bindingsKey)
	if err != nil || raw == "" {
		return out, err
	}
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		return out, core.Wrap(core.KindInternal, err, "the bound Discord servers cannot be read")
	}
	now := b.now()
	out.Waiting = slices.DeleteFunc(out.Waiting, func(w Binding) bool { return now.Sub(w.At) > bindTime })
	return out, nil
}

func (b *Bindings) write(ctx context.Context, all bindings) error {
	raw, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return b.notes.SetNote(ctx, bindingsKey, string(raw))
}

// Bound implements Binder.
func (b *Bindings) Bound(ctx context.Context, guild string) (bool, error) {
	all, err := b.read(ctx)
	return slices.ContainsFunc(all.Bound, func(one Binding) bool { return one.Guild == guild && guild != "" }), err
}

// List tells which guilds are bound.
func (b *Bindings) List(ctx context.Context) ([]Binding, error) {
	all, err := b.read(ctx)
	return all.Bound, err
}

// Begin implements Binder. A new code for a guild replaces the one before.
func (b *Bindings) Begin(ctx context.Context, guild, name string, by core.Account) (string, time.Time, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, err := b.read(ctx)
	if err != nil {
		return "", time.Time{}, err
	}
	all.Waiting = slices.DeleteFunc(all.Waiting, func(w Binding) bool { return w.Guild == guild })
	if len(all.Waiting) >= mostBinding {
		return "", time.Time{}, core.Errorf(core.KindBusy, "Too many servers are being set up; try again in a quarter of an hour.")
	}
	now := b.now()
	code := rand.Text()[:10]
	all.Waiting = append(all.Waiting, Binding{Guild: guild, Name: name, By: by.Key(), At: now, Code: code})
	return code, now.Add(bindTime), b.write(ctx, all)
}

// Confirm binds the guild that the code was made for. It is for the owner alone.
// The error is of kind not_found for a code that is wrong or too old.
func (b *Bindings) Confirm(ctx context.Context, code string) (Binding, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, err := b.read(ctx)
	if err != nil {
		return Binding{}, err
	}
	code = strings.ToUpper(strings.TrimSpace(code))
	for i, w := range all.Waiting {
		if subtle.ConstantTimeCompare([]byte(w.Code), []byte(code)) != 1 {
			continue
		}
		all.Waiting = slices.Delete(all.Waiting, i, i+1)
		w.Code, w.At = "", b.now()
		all.Bound = slices.DeleteFunc(all.Bound, func(one Binding) bool { return one.Guild == w.Guild })
		all.Bound = append(all.Bound, w)
		return w, b.write(ctx, all)
	}
	return Binding{}, core.Errorf(core.KindNotFound, "No Discord server waits for this code. Codes work for 15 minutes; type /footnote setup in the server for another one.")
}

// Release takes a binding back. The error is of kind not_found if there is none.
func (b *Bindings) Release(ctx context.Context, guild string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, err := b.read(ctx)
	if err != nil {
		return err
	}
	n := len(all.Bound)
	all.Bound = slices.DeleteFunc(all.Bound, func(one Binding) bool { return one.Guild == guild })
	if len(all.Bound) == n {
		return core.Errorf(core.KindNotFound, "The Discord server %q is not bound.", guild)
	}
	return b.write(ctx, all)
}
