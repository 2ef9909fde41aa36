package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
)

func (inv *invocation) documentCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "document",
		Short: "List, hide and show documents that were taken out of search",
		Long: `Documents can be taken out of search by hand, here and by the curators of
footnote.yaml; no sync undoes that.`,
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(inv.documentHiddenCommand(),
		inv.documentMarkCommand("hide", "Take a document out of search", func(ctx context.Context, a *app, id string) error {
			return a.hideDocument(ctx, id, "operator")
		}),
		inv.documentMarkCommand("show", "Take back that a document was hidden", func(ctx context.Context, a *app, id string) error {
			return a.showDocument(ctx, id)
		}))
	return c
}

func (inv *invocation) documentMarkCommand(name, short string, do func(context.Context, *app, string) error) *cobra.Command {
	return &cobra.Command{
		Use: name + " DOCUMENT", Short: short,
		Args: exactly(1, "the id of a document, as footnote search --json shows it"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				if err := do(ctx, a, args[0]); err != nil {
					return err
				}
				return a.store.Audit(ctx, core.AuditEntry{
					At: a.store.Now(), Action: core.AuditCurate, Actor: "operator", Documents: args[:1], Detail: map[string]string{"mark": name},
				})
			})
		},
	}
}

// hiddenView is a hidden document as --json prints it.
type hiddenView struct {
	Document string    `json:"document_id"`
	By       string    `json:"by"`
	At       time.Time `json:"at"`
}

func (inv *invocation) documentHiddenCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the documents that were hidden by hand",
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				list, err := a.store.HiddenDocuments(ctx)
				for _, h := range list {
					if asJSON {
						err = inv.printJSON(hiddenView{h.Document, h.Account, h.At})
					} else {
						_, err = fmt.Fprintln(inv.streams.Out, console.Clean(fmt.Sprintf("%s, hidden by %s on %s", h.Document, h.Account, h.At.Format(time.DateOnly))))
					}
					if err != nil {
						return err
					}
				}
				return err
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}
