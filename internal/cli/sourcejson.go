package cli

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/store"
)

// sourceView is a source as --json prints it.
type sourceView struct {
	Name       string          `json:"name"`
	Connector  string          `json:"connector"`
	From       core.Origin     `json:"from"`
	Config     json.RawMessage `json:"config"`
	Access     core.Access     `json:"access"`
	Every      string          `json:"every,omitempty"`
	Documents  int             `json:"documents"`
	Passages   int             `json:"passages"`
	NotIndexed int             `json:"not_indexed"`
	Held       int             `json:"held"`
	LastSync   *runView        `json:"last_sync"`
	Failures   []failureView   `json:"failures"`
}

type runView struct {
	Reason   core.SyncReason `json:"reason"`
	Started  time.Time       `json:"started"`
	Finished *time.Time      `json:"finished"`
	Error    string          `json:"error,omitempty"`
	core.SyncCounts
}

type failureView struct {
	ID     string    `json:"id"`
	Title  string    `json:"title,omitempty"`
	Kind   core.Kind `json:"kind"`
	Detail string    `json:"detail"`
}

func shownSource(st store.Status) sourceView {
	v := sourceView{
		Name: st.Source.Name, Connector: st.Source.Connector, From: st.Source.Origin,
		Config: redacted(st.Source.Config), Access: append(core.Access{}, st.Source.Access...),
		Documents: st.Documents, Passages: st.Passages, NotIndexed: st.NotIndexed, Held: st.Held,
		Failures: []failureView{},
	}
	if st.Source.Every > 0 {
		v.Every = st.Source.Every.String()
	}
	if r := st.LastRun; r != nil {
		v.LastSync = &runView{Reason: r.Reason, Started: r.Started, Error: r.Error, SyncCounts: r.Counts}
		if !r.Finished.IsZero() {
			v.LastSync.Finished = &r.Finished
		}
	}
	for _, f := range st.Failures {
		v.Failures = append(v.Failures, failureView{f.ExternalID, f.Title, f.Kind, f.Detail})
	}
	return v
}

// redacted hides settings whose name says that they are secret: what a source
// shows may be pasted into a ticket.
func redacted(raw json.RawMessage) json.RawMessage {
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil {
		return json.RawMessage(`{}`)
	}
	for name := range fields {
		lower := strings.ToLower(name)
		for _, word := range []string{"token", "secret", "password", "key", "credential"} {
			if strings.Contains(lower, word) {
				fields[name] = "•••"
			}
		}
	}
	out, err := json.Marshal(fields)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return out
}

func (a *app) noSource(ctx context.Context, name string) error {
	sources, err := a.store.Sources(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, s := range sources {
		names = append(names, s.Name)
	}
	hint := "there is none yet; add one with: footnote source add files FOLDER"
	if len(names) > 0 {
		hint = "the sources are: " + strings.Join(names, ", ")
	}
	if near := config.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return core.Errorf(core.KindNotFound, "there is no source %q; %s", name, hint)
}
