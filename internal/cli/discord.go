package cli

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/bot/discord"
	"github.com/footnote-bot/footnote/core"
)

func (inv *invocation) discordCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "discord",
		Short: "Look after the Discord servers that are served",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(inv.discordBindCommand(), inv.discordListCommand(), inv.discordUnbindCommand())
	return c
}

func (inv *invocation) discordBindCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "bind CODE",
		Short: "Confirm the code that /footnote setup showed in a server",
		Args:  exactly(1, "the code that /footnote setup showed"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				bound, err := discord.NewBindings(a.store, nil).Confirm(ctx, args[0])
				if err != nil {
					return err
				}
				a.rights.setGuild(bound.Guild, true)
				if err := a.audit(ctx, core.AuditConfig, map[string]string{"discord_server_bound": bound.Guild, "asked_by": bound.By}); err != nil {
					return err
				}
				_, err = fmt.Fprintf(inv.streams.Out, "the server %s (%s) is served now\n", console.Clean(bound.Name), bound.Guild)
				return err
			})
		},
	}
}

func (inv *invocation) discordListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the servers that were bound by a code",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				bound, err := discord.NewBindings(a.store, nil).List(ctx)
				if err != nil {
					return err
				}
				return inv.showBindings(bound, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

func (inv *invocation) showBindings(bound []discord.Binding, asJSON bool) error {
	if len(bound) == 0 && !asJSON {
		fmt.Fprintln(inv.streams.Err, "no server was bound by a code yet; type /footnote setup in it")
		return nil
	}
	table := tabwriter.NewWriter(inv.streams.Out, 0, 0, 2, ' ', 0)
	if !asJSON {
		fmt.Fprintln(table, "SERVER\tNAME\tSINCE")
	}
	for _, b := range bound {
		var err error
		if asJSON {
			err = inv.printJSON(b)
		} else {
			_, err = fmt.Fprintf(table, "%s\t%s\t%s\n", b.Guild, console.Clean(b.Name), ago(b.At))
		}
		if err != nil {
			return err
		}
	}
	return table.Flush()
}

func (inv *invocation) discordUnbindCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "unbind SERVER",
		Short: "Stop serving a server that was bound by a code",
		Args:  exactly(1, "the id of a server, as footnote discord list shows it"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				if err := discord.NewBindings(a.store, nil).Release(ctx, args[0]); err != nil {
					return err
				}
				a.rights.setGuild(args[0], false)
				if err := a.audit(ctx, core.AuditConfig, map[string]string{"discord_server_unbound": args[0]}); err != nil {
					return err
				}
				_, err := fmt.Fprintf(inv.streams.Out, "the server %s is no longer served\n", console.Clean(args[0]))
				return err
			})
		},
	}
}
