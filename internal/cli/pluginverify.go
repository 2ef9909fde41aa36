package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

func (inv *invocation) pluginVerifyCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify [NAME]",
		Short: "Compare installed connectors with the lock",
		Long: `Compare the programs of installed connectors with plugins.lock. The exit code is 1
if one is missing or is not what was installed. No source and no footnote.yaml is
needed, and nothing is started.`,
		Args: atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := inv.config()
			if err != nil {
				return err
			}
			return inv.verifyPlugins(shelfOf(cfg), args, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a connector")
	return c
}

func (inv *invocation) verifyPlugins(shelf plugins.Shelf, names []string, asJSON bool) error {
	chosen, err := shelf.All()
	if err != nil {
		return err
	}
	if len(names) == 1 {
		l, err := installedConnector(shelf, names[0])
		if err != nil {
			return err
		}
		chosen = []plugins.Locked{l}
	}
	if len(chosen) == 0 && !asJSON {
		fmt.Fprintln(inv.streams.Err, "no connector is installed; those that come with Footnote are part of its own program")
	}
	var checks []check
	for _, l := range chosen {
		checks = append(checks, checkInstalled(shelf, l))
	}
	return inv.showChecks(checks, asJSON)
}

// checkInstalled compares one connector with the lock, for verify and doctor.
func checkInstalled(shelf plugins.Shelf, l plugins.Locked) check {
	k := check{Name: "connector " + l.Name, Outcome: passed, Detail: l.Version + " from " + l.Source}
	err := shelf.Verify(l)
	switch {
	case err != nil:
		k.Outcome, k.Detail = failed, strings.TrimPrefix(err.Error(), fmt.Sprintf("connector %q: ", l.Name))
	case l.Follows != "":
		k.Outcome, k.Detail = warned, "is followed at "+l.Follows+"; its sum is not checked"
		k.Fix = "footnote plugin install " + l.Follows + " locks it as it is"
	}
	return k
}

// checkPlugins looks at every installed connector.
func (a *app) checkPlugins() []check {
	all, err := a.shelf.All()
	if err != nil {
		return []check{{Name: "connectors", Outcome: failed, Detail: err.Error()}}
	}
	var out []check
	for _, l := range all {
		out = append(out, checkInstalled(a.shelf, l))
	}
	return out
}

func installedConnector(shelf plugins.Shelf, name string) (plugins.Locked, error) {
	if _, ok := bundledConnectors()[name]; ok {
		return plugins.Locked{}, core.Errorf(core.KindUsage, "the connector %q comes with Footnote: it is part of its program", name)
	}
	l, err := shelf.Find(name)
	if core.KindOf(err) == core.KindNotFound {
		err = noConnector(shelf, name)
	}
	return l, err
}

func (inv *invocation) pluginRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove an installed connector that no source uses",
		Args:  exactly(1, "the name of an installed connector"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.removePlugin(ctx, a, args[0])
			})
		},
	}
}

func (inv *invocation) removePlugin(ctx context.Context, a *app, name string) error {
	l, err := installedConnector(a.shelf, name)
	if err != nil {
		return err
	}
	beneath := false
	if l.Follows != "" {
		if beneath, err = a.shelf.Beneath(name); err != nil {
			return err
		}
	}
	if !beneath {
		if err := a.unused(ctx, name); err != nil {
			return err
		}
	}
	if err := a.shelf.Remove(name); err != nil {
		return err
	}
	if err := a.sources.outdate(ctx, name); err != nil {
		return err
	}
	if err := a.audit(ctx, core.AuditConfig, map[string]string{"connector": name, "removed": l.Version}); err != nil {
		return err
	}
	text := "removed connector " + name + " " + l.Version
	if beneath {
		text += ", which was followed; the one in " + a.shelf.LockFile + " counts again"
	}
	_, err = fmt.Fprintln(inv.streams.Out, console.Clean(text))
	return err
}

// unused refuses a connector that sources use.
func (a *app) unused(ctx context.Context, connector string) error {
	users, err := a.connectorUsers(ctx)
	if err != nil || len(users[connector]) == 0 {
		return err
	}
	var names []string
	for _, s := range users[connector] {
		names = append(names, s.Name)
	}
	return core.Errorf(core.KindConflict, "connector %q is used by %s; remove these first: footnote source remove %s",
		connector, strings.Join(names, ", "), names[0])
}
