package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

// check is one thing that doctor looked at.
type check struct {
	Name    string `json:"name"`
	Outcome string `json:"outcome"` // ok, warning, failed, unknown
	Detail  string `json:"detail,omitempty"`
	Fix     string `json:"fix,omitempty"`
}

const (
	passed  = "ok"
	warned  = "warning"
	failed  = "failed"
	unknown = "unknown"
)

func (inv *invocation) doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check the set-up and say how to mend what is wrong",
		Long:  "Check the set-up. Every finding has a line that says what to do. The exit code is 1 if a check failed.",
		Args:  noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				found := a.checks(ctx)
				if ctx.Err() != nil {
					return context.Cause(ctx) // what was not looked at has not failed
				}
				return inv.showChecks(found, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a check")
	c.AddCommand(inv.doctorModelCommand(), inv.doctorAskCommand())
	return c
}

func (inv *invocation) showChecks(checks []check, asJSON bool) error {
	bad := false
	for _, k := range checks {
		bad = bad || k.Outcome == failed
		var err error
		if asJSON {
			err = inv.printJSON(k)
		} else {
			err = inv.showCheck(k)
		}
		if err != nil {
			return err
		}
	}
	if bad {
		return exited(exitFailure)
	}
	return nil
}

func (inv *invocation) showCheck(k check) error {
	text := fmt.Sprintf("%-8s %s", k.Outcome, k.Name)
	if k.Detail != "" {
		text += ": " + k.Detail
	}
	if k.Fix != "" {
		text += "\n         → " + k.Fix
	}
	_, err := fmt.Fprintln(inv.streams.Out, console.Clean(text))
	return err
}

// checks looks at everything that needs no answer of a chat model.
func (a *app) checks(ctx context.Context) []check {
	return sideBySide(ctx, a.parts(ctx), a.within(partPatience))
}

func (a *app) checkConfig() check {
	if a.current().Changed() {
		return check{
			Name: "configuration", Outcome: warned, Detail: changedFile(a.cfg),
			Fix: "footnote reload; or end that process, such as footnote serve, and start it again",
		}
	}
	if a.cfg.File == "" {
		return check{Name: "configuration", Outcome: passed, Detail: "no file, defaults and environment only"}
	}
	k := check{Name: "configuration", Outcome: passed, Detail: a.cfg.File}
	if info, err := os.Stat(a.cfg.File); err == nil && a.cfg.HoldsSecrets() && info.Mode().Perm()&0o077 != 0 {
		k.Outcome = warned
		k.Detail += " may be read by other users of this machine and may hold keys or tokens"
		k.Fix = "chmod 600 " + a.cfg.File + ", or keep them in the environment (FOOTNOTE_…, FOOTNOTE_…_FILE)"
	}
	return k
}

func (a *app) checkFolder() check {
	k := check{Name: "data folder", Outcome: passed, Detail: a.cfg.DataDir}
	info, err := os.Stat(a.cfg.DataDir)
	if err != nil {
		return check{Name: k.Name, Outcome: failed, Detail: err.Error(), Fix: "choose a folder that can be written with --data-dir"}
	}
	if info.Mode().Perm()&0o077 != 0 {
		k.Outcome, k.Fix = warned, "chmod 700 "+a.cfg.DataDir
		k.Detail += " may be read by other users of this machine"
	}
	probe := filepath.Join(a.cfg.DataDir, ".doctor")
	if err := os.WriteFile(probe, []byte("x"), 0o600); err != nil {
		return check{Name: k.Name, Outcome: failed, Detail: err.Error(), Fix: "make room, or choose another folder with --data-dir"}
	}
	os.Remove(probe) //nolint:errcheck // an empty left-over harms nobody
	return k
}

// stale is how old the last good sync of a source without a schedule may be.
const stale = 7 * 24 * time.Hour

// sourceParts looks at each source on its own: a connector may take long to start.
func (a *app) sourceParts(ctx context.Context) []part {
	always := func(name string, k check) []part {
		return []part{single(name, func(context.Context) check { return k })}
	}
	sources, err := a.store.Sources(ctx)
	if err != nil {
		return always("sources", check{Name: "sources", Outcome: failed, Detail: err.Error(), Fix: "look at the log with --log-level debug"})
	}
	if len(sources) == 0 {
		return always("sources", check{Name: "sources", Outcome: warned, Detail: "there is none", Fix: "footnote source add files FOLDER"})
	}
	var out []part
	states := a.states(ctx)
	for _, s := range sources {
		if resting, is := checkState(s, states[s.Name]); is && !a.hasLeft(s.Name) {
			out = append(out, always("source "+s.Name, resting)...)
			continue
		}
		out = append(out, single("source "+s.Name, func(ctx context.Context) check { return a.checkSource(ctx, s) }))
	}
	return out
}

func (a *app) checkSource(ctx context.Context, s core.Source) check {
	if s.Connector == pushConnector && !a.hasLeft(s.Name) {
		return a.checkPushSource(ctx, s)
	}
	k := check{Name: "source " + s.Name, Outcome: passed}
	st, err := a.store.SourceStatus(ctx, s.Name)
	var notRunning error
	if err == nil && !a.hasLeft(s.Name) {
		notRunning = a.tryConnector(ctx, s)
	}
	switch {
	case a.hasLeft(s.Name):
		k.Outcome, k.Detail, k.Fix = warned, "is no longer in the configuration file", "list it again, or: footnote source remove "+s.Name
	case notRunning != nil:
		k.Outcome, k.Detail, k.Fix = failed, notRunning.Error(), "mend its settings, or: footnote source remove "+s.Name
	case err != nil:
		k.Outcome, k.Detail = failed, err.Error()
	case st.LastRun == nil:
		k.Outcome, k.Detail, k.Fix = warned, "was never read", "footnote sync "+s.Name
	case st.LastRun.ErrorKind == core.KindCancelled:
		k.Outcome, k.Detail, k.Fix = warned, st.LastRun.Error, "nothing to do where footnote serve reads it on a schedule; now with: footnote sync "+s.Name
	case st.LastRun.ErrorKind != "":
		k.Outcome, k.Detail, k.Fix = failed, st.LastRun.Error, "mend that, then: footnote sync "+s.Name
	case accessFailed(st):
		k.Outcome, k.Detail, k.Fix = failed, st.LastAccess.Error, "mend that, then: footnote sync "+s.Name+" --access"
	case listFailed(st) != "":
		k.Outcome, k.Detail, k.Fix = failed, "what is gone from it could not be found out: "+listFailed(st), "mend that, then: footnote sync "+s.Name
	case st.Held > 0:
		k.Outcome, k.Detail = warned, fmt.Sprintf("%d deletions wait for your word", st.Held)
		k.Fix = "footnote sync " + s.Name + " --accept-deletes"
	case a.closedByAge(ctx, st):
		k.Outcome, k.Detail = failed, "who may read its documents was last told "+told(st.AccessChecked)+"; those that are restricted are closed"
		k.Fix = "footnote sync " + s.Name + " --access"
	case len(st.Failures) > 0:
		k.Outcome, k.Detail = warned, counted(len(st.Failures), "document")+" could not be read"
		k.Fix = "footnote source show " + s.Name
	case s.FreshWithin > 0 && a.scheduleOf(ctx, st).Behind:
		k.Outcome, k.Detail, k.Fix = warned, a.scheduleOf(ctx, st).freshness(a.store.Now()), "let footnote serve run, or: footnote sync "+s.Name
	case time.Since(st.LastRun.Finished) > max(stale, 3*s.Every):
		k.Outcome, k.Detail, k.Fix = warned, "was read "+ago(st.LastRun.Finished), "footnote sync "+s.Name
	default:
		k.Detail = fmt.Sprintf("%s, read %s", counted(st.Documents, "document"), ago(st.LastRun.Finished))
	}
	return k
}

// tryConnector starts the source's connector, if it does not run, and asks it
// whether its settings work and its tools can be offered.
func (a *app) tryConnector(ctx context.Context, s core.Source) error {
	conn, err := a.sources.use(ctx, s)
	if err != nil {
		return err
	}
	_, err = conn.Check(ctx)
	if err == nil && conn.CanTools() {
		_, err = conn.Tools(ctx)
	}
	return errors.Join(err, conn.Close())
}

// capabilitiesKey is where the ledger keeps what doctor model found out.
const capabilitiesKey = "model_capabilities"

func (a *app) checkModel(ctx context.Context) check {
	k := check{Name: "model", Outcome: passed}
	if a.models.first == nil {
		k.Outcome, k.Detail = warned, "none is configured: answers are quotes"
		k.Fix = "set model.base_url and model.name, or FOOTNOTE_MODEL_BASE_URL and FOOTNOTE_MODEL_NAME"
		return k
	}
	k.Detail = a.cfg.Model.Name + " at " + a.cfg.Model.BaseURL
	known, err := a.capabilities(ctx)
	switch {
	case err != nil:
		k.Outcome, k.Detail = failed, err.Error()
	case known.Model == "":
		k.Outcome, k.Fix = unknown, "footnote doctor model tries it out"
	case brokenModel(known):
		k.Outcome, k.Fix = failed, "footnote doctor model says what is wrong"
	}
	return k
}

// brokenModel tells whether a check failed that matters.
func brokenModel(known model.Capabilities) bool {
	return slices.ContainsFunc(known.Checks, func(k model.Check) bool {
		return k.Outcome == model.CheckFailed && !slices.Contains(niceToHave, k.Name)
	})
}

func (inv *invocation) doctorModelCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "model",
		Short: "Try out what the model endpoint can do",
		Long:  "Try out what the model endpoint can do, with a few small calls, and remember it.",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.probeModel(ctx, a, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a check")
	return c
}

// niceToHave is what a model may lack without anything being wrong.
var niceToHave = []string{model.CheckUsage, model.CheckTools, model.CheckParallelTools, model.CheckJSONSchema, model.CheckVision, model.CheckWindow}

func (inv *invocation) probeModel(ctx context.Context, a *app, asJSON bool) error {
	if a.models.first == nil {
		return core.Errorf(core.KindConfig, "no model is configured; set model.base_url and model.name, or FOOTNOTE_MODEL_BASE_URL and FOOTNOTE_MODEL_NAME")
	}
	client, err := model.New(a.modelConfig())
	if err != nil {
		return err
	}
	found, err := client.Probe(ctx)
	if err != nil {
		return err
	}
	found.Endpoint = a.cfg.Model.BaseURL
	raw, err := json.Marshal(found)
	if err != nil {
		return err
	}
	if err := a.store.SetNote(ctx, capabilitiesKey, string(raw)); err != nil {
		return err
	}
	var checks []check
	for _, k := range found.Checks {
		outcome := string(k.Outcome)
		if outcome == failed && slices.Contains(niceToHave, k.Name) {
			outcome = warned
		}
		checks = append(checks, check{Name: k.Name, Outcome: outcome, Detail: k.Detail, Fix: k.Fix})
	}
	return inv.showChecks(checks, asJSON)
}
