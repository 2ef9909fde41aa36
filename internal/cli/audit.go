package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store"
)

// operatorName is who the audit names for what the command line did.
const operatorName = "operator"

// audit writes down what the owner changed.
func (a *app) audit(ctx context.Context, action string, detail map[string]string) error {
	return a.store.Audit(ctx, core.AuditEntry{At: time.Now(), Action: action, Actor: operatorName, Detail: detail})
}

// noteAudit writes down what happened in a turn; a failure is logged, and the
// answer goes on: it is out already.
func (a *app) noteAudit(ctx context.Context, e core.AuditEntry) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	if err := a.store.Audit(context.WithoutCancel(ctx), e); err != nil {
		a.log.Error("an entry of the audit was not written", "action", e.Action, "turn_id", e.TurnID, "error", err)
	}
}

// cutAudit removes what is older than audit.keep.
func (a *app) cutAudit(ctx context.Context) error {
	if a.cfg.Audit.Keep <= 0 {
		return nil
	}
	_, err := a.store.PruneAudit(ctx, time.Now().Add(-a.cfg.Audit.Keep))
	return err
}

func (inv *invocation) auditCommand() *cobra.Command {
	var q store.AuditQuery
	var since, until string
	var asJSON bool
	c := &cobra.Command{
		Use:   "audit",
		Short: "Who learned what where, and who changed what others may learn",
		Long: `List the audit, oldest first. Entries name documents by id and never hold their
text. With --json it is an export: one JSON object a line.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			now := time.Now()
			if q.Since, err = moment("--since", since, now); err != nil {
				return err
			}
			if q.Until, err = moment("--until", until, now); err != nil {
				return err
			}
			if _, err := time.Parse(time.DateOnly, until); err == nil {
				q.Until = q.Until.AddDate(0, 0, 1) // the day counts as a whole
			}
			if q.Action != "" && !slices.Contains(auditActions, q.Action) {
				return badChoice("--action", q.Action, auditActions...)
			}
			if q.Limit < 0 {
				return core.Errorf(core.KindUsage, "--limit: %d is negative", q.Limit)
			}
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.showAudit(ctx, a, q, asJSON)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&since, "since", "", "from when on: a length of time such as 24h, or a date such as 2026-05-31")
	f.StringVar(&until, "until", "", "up to when, written likewise; a date with the whole day")
	f.StringVar(&q.Actor, "who", "", "only what this person or account did")
	f.StringVar(&q.Place, "place", "", "only in this place")
	f.StringVar(&q.Document, "document", "", "only where this document was used")
	f.StringVar(&q.Action, "action", "", "only this action: "+strings.Join(auditActions, ", "))
	f.StringVar(&q.TurnID, "turn", "", "only about this turn")
	f.IntVar(&q.Limit, "limit", 0, "at most so many entries (default all)")
	f.BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

// moment reads a point in time: a date, a full time, or how long ago.
func moment(flag, s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, time.DateTime} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, core.Errorf(core.KindUsage, "%s: %q is neither a length of time such as 24h nor a date such as 2026-05-31", flag, s)
}

// auditActions are what an entry can be about.
var auditActions = []string{
	core.AuditAnswer, core.AuditSearch, core.AuditWithdraw, core.AuditShare, core.AuditBypass,
	core.AuditGrant, core.AuditIdentity, core.AuditConfig, core.AuditCurate, core.AuditExport, core.AuditLook,
}

// showAudit prints the audit. That it was read is in it from then on.
func (inv *invocation) showAudit(ctx context.Context, a *app, q store.AuditQuery, asJSON bool) error {
	n := 0
	table := tabwriter.NewWriter(inv.streams.Out, 0, 0, 2, ' ', 0)
	err := a.store.AuditTrail(ctx, q, func(e core.AuditEntry) error {
		if n++; asJSON {
			return inv.printJSON(e)
		}
		if n == 1 {
			fmt.Fprintln(table, "WHEN\tWHO\tACTION\tPLACE\tCLASS\tDOCUMENTS\tDETAIL")
		}
		_, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e.At.Local().Format(time.DateTime),
			console.Clean(e.Actor), e.Action, console.Clean(dash(e.Place)), dash(e.Class), console.Clean(auditDocuments(e)), console.Clean(detailOf(e)))
		return err
	})
	if err != nil {
		return err
	}
	if n == 0 && !asJSON {
		fmt.Fprintln(inv.streams.Err, "the audit has no such entry")
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return a.audit(ctx, core.AuditExport, map[string]string{"entries": strconv.Itoa(n)})
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// mostListed is how many documents a line of the audit names.
const mostListed = 3

func auditDocuments(e core.AuditEntry) string {
	if len(e.Documents) <= mostListed {
		return dash(strings.Join(e.Documents, ", "))
	}
	return fmt.Sprintf("%s and %d more", strings.Join(e.Documents[:mostListed], ", "), len(e.Documents)-mostListed)
}

func detailOf(e core.AuditEntry) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(e.Detail)) {
		parts = append(parts, k+" "+e.Detail[k])
	}
	return dash(strings.Join(parts, ", "))
}
