package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

type pluginInstall struct {
	want plugins.Wanted
	yes  bool
}

func (inv *invocation) pluginInstallCommand() *cobra.Command {
	var p pluginInstall
	c := &cobra.Command{
		Use:   "install [REF]",
		Short: "Install a connector, or all that the lock names",
		Long: `Install a connector. REF is one of

  ./bin/notes                                    a program, which is copied
  go:example.org/footnote-jira@v1.2.0            a Go package, which is compiled here
  https://example.org/jira/plugin.json           the manifest of a release
  https://example.org/jira.tar.gz --sha256 SUM   an archive, or a bare program
  jira                                           a connector that is in plugins.lock

Without REF everything in plugins.lock that is not on this machine is installed.
The sums of all programs go into plugins.lock, beside footnote.yaml; a program is
compared with it whenever it is started.`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				if len(args) == 0 {
					return inv.installLocked(ctx, a, p)
				}
				p.want.Ref = args[0]
				return inv.installPlan(ctx, a, p)
			})
		},
	}
	f := c.Flags()
	f.BoolVar(&p.yes, "yes", false, "do not ask before a program is run")
	f.StringVar(&p.want.SHA256, "sha256", "", "the SHA-256 that the file has to have")
	f.BoolVar(&p.want.Follow, "dev", false, "start the program where it lies, whatever it becomes: for its author")
	return c
}

func (inv *invocation) installer(a *app) *plugins.Installer {
	return &plugins.Installer{
		Shelf: a.shelf, Log: a.log, Version: thisBuild().Version, Dir: inv.Dir, Environ: inv.goEnv,
		Stage: func(text string) { fmt.Fprintln(inv.streams.Err, console.Clean(text)) },
	}
}

// installLocked installs what the lock has and this machine has not.
func (inv *invocation) installLocked(ctx context.Context, a *app, p pluginInstall) error {
	if p.want.Follow || p.want.SHA256 != "" {
		return core.Errorf(core.KindUsage, "--dev and --sha256 need a connector; usage: footnote plugin install REF")
	}
	all, err := a.shelf.All()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return core.Errorf(core.KindUsage, "%s names no connectors; usage: footnote plugin install REF", a.shelf.LockFile)
	}
	for _, l := range all {
		p.want.Ref = l.Name
		if a.shelf.Verify(l) == nil {
			continue
		}
		if err := inv.installPlan(ctx, a, p); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(inv.streams.Out, "every connector of the lock is installed")
	return err
}

// installPlan shows what an installation will run, asks, and does it.
func (inv *invocation) installPlan(ctx context.Context, a *app, p pluginInstall) error {
	i := inv.installer(a)
	plan, err := i.Plan(ctx, p.want)
	if err != nil {
		return err
	}
	if !plan.Present {
		for _, line := range plan.Lines {
			fmt.Fprintf(inv.streams.Err, "This will run, with your rights: %s\n", console.Clean(line))
		}
		if !p.yes {
			if err := inv.confirm("Install it?"); err != nil {
				return err
			}
		}
	}
	before, err := a.shelf.All()
	if err != nil {
		return err
	}
	l, err := i.Install(ctx, plan)
	if err != nil {
		return err
	}
	if plan.Present {
		_, err = fmt.Fprintf(inv.streams.Out, "%s %s is installed already\n", l.Name, l.Version)
		return err
	}
	if err := a.audit(ctx, core.AuditConfig, map[string]string{"connector": l.Name, "installed": l.Version, "from": l.Source}); err != nil {
		return err
	}
	for _, old := range before {
		if old.Name == l.Name && (old.Version != l.Version || old.Source != l.Source) {
			fmt.Fprintf(inv.streams.Err, "note: it takes the place of %s %s from %s\n", old.Name, old.Version, console.Clean(old.Source))
		}
	}
	if err := a.sources.outdate(ctx, l.Name); err != nil {
		return err
	}
	return inv.installedLine(a, l)
}

func (inv *invocation) installedLine(a *app, l plugins.Locked) error {
	if l.Follows != "" {
		_, err := fmt.Fprintf(inv.streams.Out, "%s %s is followed at %s; its sum is not checked. Use it with: footnote source add %s\n", l.Name, l.Version, l.Follows, l.Name)
		return err
	}
	_, err := fmt.Fprintf(inv.streams.Out, "installed %s %s and locked it in %s; use it with: footnote source add %s\n", l.Name, l.Version, a.shelf.LockFile, l.Name)
	return err
}
