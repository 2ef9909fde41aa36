package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/plugins"
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
	Show       string          `json:"show"`           // link, number or nothing, at most
	MaxAge     string          `json:"access_max_age"` // how long stated access is trusted
	Documents  int             `json:"documents"`
	Passages   int             `json:"passages"`
	NotIndexed int             `json:"not_indexed"`
	Waiting    int             `json:"waiting_for_vector,omitempty"` // passages
	Held       int             `json:"held"`
	LastSync   *runView        `json:"last_sync"`             // that read documents
	LastAccess *runView        `json:"last_access,omitempty"` // that read only who may read what
	Failures   []failureView   `json:"failures"`
	// Schedule and Process are left out where nobody asked for it, as in reports of syncs.
	Schedule *scheduleView `json:"schedule,omitempty"`
	Process  *stateView    `json:"process,omitempty"`
}

func (v sourceView) with(s plugins.SourceState) sourceView {
	state := shownState(s)
	v.Process = &state
	return v
}

func (v sourceView) on(s scheduleView) sourceView {
	v.Schedule = &s
	return v
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
	Tries  int       `json:"tries"`
	Parked bool      `json:"parked"` // not tried again before it changes or somebody asks
}

func shownSource(st store.Status) sourceView {
	v := sourceView{
		Name: st.Source.Name, Connector: st.Source.Connector, From: st.Source.Origin,
		Config: redacted(st.Source.Config), Access: append(core.Access{}, st.Source.Access...),
		Documents: st.Documents, Passages: st.Passages, NotIndexed: st.NotIndexed, Held: st.Held,
		Failures: []failureView{}, Show: discretionName(st.Source.Discretion), MaxAge: maxAge(st.Source).String(),
	}
	if st.Source.Every > 0 {
		v.Every = st.Source.Every.String()
	}
	v.LastSync, v.LastAccess = shownRun(st.LastRun), shownRun(st.LastAccess)
	for _, f := range st.Failures {
		v.Failures = append(v.Failures, failureView{f.ExternalID, f.Title, f.Kind, f.Detail, f.Tries, f.Parked})
	}
	return v
}

func shownRun(r *core.SyncRun) *runView {
	if r == nil {
		return nil
	}
	v := &runView{Reason: r.Reason, Started: r.Started, Error: r.Error, SyncCounts: r.Counts}
	if !r.Finished.IsZero() {
		v.Finished = &r.Finished
	}
	return v
}

// maxAge is how long access that the source states counts.
func maxAge(s core.Source) time.Duration {
	return min(cmp.Or(s.MaxAge, core.DefaultMaxAge), core.LongestMaxAge)
}

// redacted hides settings whose name says that they are secret, however deep they
// stand, and what opens an address by itself: what a source shows may be pasted
// into a ticket.
func redacted(raw json.RawMessage) json.RawMessage {
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil {
		return json.RawMessage(`{}`)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(withoutSecrets(fields)) != nil {
		return json.RawMessage(`{}`)
	}
	return bytes.TrimSpace(b.Bytes())
}

func withoutSecrets(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			if v[name] = withoutSecrets(field); secretName(name) {
				v[name] = "•••"
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutSecrets(v[i])
		}
	case string:
		if strings.Contains(v, "://") {
			return core.ShareableURL(v)
		}
	}
	return value
}

var (
	secretWords = []string{"token", "secret", "passw", "passphrase", "pwd", "key", "credential", "authorization", "cookie", "bearer", "private", "dsn"}
	secretNames = []string{"auth", "pass", "pat"}
)

func secretName(name string) bool {
	lower := strings.ToLower(name)
	return slices.Contains(secretNames, lower) ||
		slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(lower, word) })
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
