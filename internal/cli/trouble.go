package cli

import (
	"context"
	"encoding/json"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// trouble is what stops a job beside the syncs, as the ledger keeps it.
type trouble struct {
	With  string    `json:"set"` // what the job works with; with anything else it is nobody's trouble
	Since time.Time `json:"since"`
	Kind  core.Kind `json:"kind"`
	Text  string    `json:"text"`
}

// noteTrouble keeps what stops a job, under the key; nil says that nothing does.
func (a *app) noteTrouble(ctx context.Context, key, with string, err error) {
	text := ""
	if err != nil {
		raw, _ := json.Marshal(trouble{with, time.Now(), core.KindOf(err), err.Error()}) //nolint:errcheck // texts and a time
		text = string(raw)
	}
	if err := a.store.SetNote(context.WithoutCancel(ctx), key, text); err != nil {
		a.log.WarnContext(ctx, "what stops a job is not noted", "job", key, "error", err)
	}
}

// troubleOf is what stops a job with what it works with now; false if nothing does.
func (a *app) troubleOf(ctx context.Context, key, with string) (trouble, bool) {
	var t trouble
	raw, err := a.store.Note(ctx, key)
	if err != nil || raw == "" || json.Unmarshal([]byte(raw), &t) != nil || t.With != with {
		return trouble{}, false
	}
	return t, true
}
