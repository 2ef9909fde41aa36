package bot

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
)

// audit tells who learned what where. The turn may be empty: then nothing was
// learned.
func (d *Desk) audit(ctx context.Context, action string, q core.Question, t core.Turn, outcome string) {
	used, _ := access.Documents(t)
	d.tell(ctx, core.AuditEntry{
		Action: action, Actor: actor(q.Viewer, q.Place), Place: q.Place.ID, Class: q.Audience.Class, Scope: ScopeHash(q.Audience),
		TurnID: q.TurnID, Mode: t.Answer.Mode, Documents: used, Detail: map[string]string{"outcome": outcome},
	})
}

func (d *Desk) tell(ctx context.Context, e core.AuditEntry) {
	if d.opts.Audit == nil {
		return
	}
	e.At = d.opts.Now()
	d.opts.Audit(context.WithoutCancel(ctx), e)
}

// actor names who asked; somebody without a name is known by where they asked,
// such as the token of an HTTP client.
func actor(v core.Viewer, p core.Place) string {
	if v.Email == "" && v.Account == "" && v.Operator {
		return "operator"
	}
	return cmp.Or(v.Email, v.Account, p.ID)
}

// ScopeHash names in the audit what bounded retrieval: it is the same for the same
// principals and grants, and tells none of them.
func ScopeHash(a core.Audience) string {
	h := sha256.New()
	for _, p := range a.Scope() {
		h.Write(append([]byte(p), 0))
	}
	if a.Bypass {
		h.Write([]byte("bypass"))
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// outcome is how the turn ended, in a word.
func (r *Running) outcome() string {
	switch last, _ := r.log.last(); e := last.(type) {
	case core.Done:
		if e.Stopped {
			return "stopped"
		}
		return "answered"
	case core.Failed:
		return string(e.Kind)
	}
	return "unfinished"
}

// rests notes what the turn's answer rests on.
func (r *Running) rests(t core.Turn) {
	used, _ := access.Documents(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used = used
}
