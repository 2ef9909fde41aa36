package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
	"github.com/footnote-bot/footnote/plugins"
	"github.com/footnote-bot/footnote/store"
)

// stateView is how a source's connector fares, as --json prints it. It is of the
// process that holds the data folder, and since that one started.
type stateView struct {
	State    plugins.State `json:"state"` // ready, running, waiting or parked
	Since    *time.Time    `json:"since,omitempty"`
	Until    *time.Time    `json:"until,omitempty"` // of waiting
	Failures int           `json:"failures"`        // in a row
	Crashes  int           `json:"crashes"`
	Error    string        `json:"error,omitempty"`
}

// states are the sources' connectors by source. One that is being started just now
// is not waited for longer than a moment.
func (a *app) states(ctx context.Context) map[string]plugins.SourceState {
	out := map[string]plugins.SourceState{}
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	all, err := a.host.States(limited)
	if err != nil {
		a.log.DebugContext(ctx, "states of connectors not read", "error", err)
	}
	for _, s := range all {
		out[s.Source] = s
	}
	return out
}

func shownState(s plugins.SourceState) stateView {
	v := stateView{State: s.State, Failures: s.Failures, Crashes: s.Crashes}
	if v.State == "" {
		v.State = plugins.StateReady
	}
	if !s.Since.IsZero() {
		v.Since = &s.Since
	}
	if !s.Until.IsZero() {
		v.Until = &s.Until
	}
	if s.Err != nil {
		v.Error = s.Err.Error()
	}
	return v
}

// stateText says it in a few words.
func stateText(s plugins.SourceState) string {
	switch s.State {
	case plugins.StateWaiting:
		return "waits until " + s.Until.Format(time.TimeOnly)
	case plugins.StateParked:
		return "parked since " + s.Since.Format(time.DateTime)
	case "":
		return string(plugins.StateReady)
	}
	return string(s.State)
}

// checkState tells of a connector that is not tried at the moment; false where it
// may run.
func checkState(src core.Source, s plugins.SourceState) (check, bool) {
	k := check{Name: "source " + src.Name, Detail: stateText(s)}
	if s.Err != nil {
		k.Detail += fmt.Sprintf(": %v", s.Err)
	}
	switch s.State {
	case plugins.StateWaiting:
		k.Outcome, k.Fix = warned, "nothing to do if that passes by itself; at once with: footnote sync "+src.Name
		return k, true
	case plugins.StateParked:
		k.Outcome, k.Fix = failed, "mend that, then: footnote sync "+src.Name
		return k, true
	}
	return check{}, false
}

// closedByAge tells whether a source that tells readers by itself has not done so
// for too long.
func (a *app) closedByAge(ctx context.Context, st store.Status) bool {
	one, known := a.sources.remembered(ctx, st.Source)
	return known && slices.Contains(one.Can, wire.FeatureGrants) && st.Documents > 0 &&
		!core.StillTold(st.AccessChecked, a.store.Now(), maxAge(st.Source))
}

// accessFailed tells whether the last time that only readers were read failed, and
// no sync went well since.
func accessFailed(st store.Status) bool {
	return st.LastAccess != nil && st.LastAccess.ErrorKind != "" &&
		(st.LastRun == nil || st.LastRun.ID < st.LastAccess.ID)
}

// listFailed is why it could not be found out what is gone from the source, "" if it
// could.
func listFailed(st store.Status) string {
	for _, j := range st.Jobs {
		if j.Kind == core.JobList && j.ErrorKind != core.KindCancelled {
			return j.Error
		}
	}
	return ""
}

func told(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return ago(at)
}
