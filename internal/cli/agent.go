package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

func (inv *invocation) agentCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "agent",
		Short: "Define agents: instructions, model, tools and knowledge under a name",
		Long:  "Define agents. The one called default answers where none is named.",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(inv.agentListCommand(), inv.agentShowCommand(), inv.agentAddCommand(), inv.agentRemoveCommand())
	return c
}

// agentView is an agent as --json prints it.
type agentView struct {
	Name          string      `json:"name"`
	From          core.Origin `json:"from"`
	Instructions  string      `json:"instructions"`
	ReplacePrompt bool        `json:"replace_prompt"`
	Reminder      string      `json:"reminder,omitempty"`
	Model         string      `json:"model,omitempty"`
	Tools         []string    `json:"tools"`   // null: all
	Sources       []string    `json:"sources"` // null: all
	ForceSearch   bool        `json:"force_search"`
	Language      string      `json:"language,omitempty"`
	Starters      []string    `json:"starters,omitempty"`
}

func shownAgent(p persona) agentView {
	return agentView{
		Name: p.Name, From: p.origin, Instructions: p.Instructions, ReplacePrompt: p.ReplacePrompt,
		Reminder: p.Reminder, Model: p.Model, Tools: p.Tools, Sources: p.Sources,
		ForceSearch: p.ForceSearch, Language: p.Language, Starters: p.Starters,
	}
}

func (inv *invocation) agentListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the agents",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withNewFolder(c.Context(), func(_ context.Context, a *app) error {
				return inv.listAgents(a, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

func (inv *invocation) listAgents(a *app, asJSON bool) error {
	all := a.agents.all()
	if len(all) == 0 && !asJSON {
		fmt.Fprintln(inv.streams.Err, "no agent yet; the built-in one answers. Add one with: footnote agent add NAME --instructions TEXT")
		return nil
	}
	table := tabwriter.NewWriter(inv.streams.Out, 0, 0, 2, ' ', 0)
	if !asJSON {
		fmt.Fprintln(table, "NAME\tFROM\tMODEL\tINSTRUCTIONS")
	}
	for _, p := range all {
		var err error
		if asJSON {
			err = inv.printJSON(shownAgent(p))
		} else {
			_, err = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", p.Name, p.origin, cmp.Or(p.Model, "default"),
				console.Clean(excerpt(p.Instructions, 60)))
		}
		if err != nil {
			return err
		}
	}
	return table.Flush()
}

func (inv *invocation) agentShowCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show one agent",
		Args:  exactly(1, "the name of an agent"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withNewFolder(c.Context(), func(_ context.Context, a *app) error {
				if _, err := a.agents.chosen(args[0]); err != nil {
					return err
				}
				one, _ := a.agents.find(args[0])
				return inv.showAgent(shownAgent(one), asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func (inv *invocation) showAgent(v agentView, asJSON bool) error {
	if asJSON {
		return inv.printJSON(v)
	}
	list := func(l []string) string {
		if l == nil {
			return "all"
		}
		return strings.Join(l, ", ")
	}
	_, err := fmt.Fprintf(inv.streams.Out,
		"name: %s\nfrom: %s\nmodel: %s\ntools: %s\nsources: %s\nsearches first: %v\nreplaces the system prompt: %v\nlanguage: %s\nreminder: %s\ninstructions:\n%s\n",
		v.Name, v.From, cmp.Or(v.Model, "default"), list(v.Tools), list(v.Sources), v.ForceSearch, v.ReplacePrompt,
		cmp.Or(v.Language, "that of the question"), console.Clean(v.Reminder), console.Clean(v.Instructions))
	return err
}

func (inv *invocation) agentAddCommand() *cobra.Command {
	var one core.Agent
	c := &cobra.Command{
		Use:   "add NAME",
		Short: "Add an agent or replace one that was added by command",
		Long:  "Add an agent. In its instructions {asker}, {place} and {date} are filled in.",
		Args:  exactly(1, "a name"),
		RunE: func(c *cobra.Command, args []string) error {
			one.Name = args[0]
			// A list that was not given means all, an empty one means none.
			if !c.Flags().Changed("tools") {
				one.Tools = nil
			}
			if !c.Flags().Changed("sources") {
				one.Sources = nil
			}
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.addAgent(ctx, a, one)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&one.Instructions, "instructions", "", "what the model is told")
	f.BoolVar(&one.ReplacePrompt, "replace-prompt", false, "the instructions are the whole system prompt")
	f.StringVar(&one.Reminder, "reminder", "", "repeated at the end of every context")
	f.StringVar(&one.Model, "model", "", "another model's name at the same endpoint")
	f.StringSliceVar(&one.Tools, "tools", nil, "names of the tools it may use (default all)")
	f.StringSliceVar(&one.Sources, "sources", nil, "names of the sources it searches (default all)")
	f.BoolVar(&one.ForceSearch, "force-search", false, "search before the first word of an answer")
	f.StringVar(&one.Language, "language", "", "language of answers, such as de (default that of the question)")
	f.StringArrayVar(&one.Starters, "starter", nil, "a question to offer; may be repeated")
	return c
}

func (inv *invocation) addAgent(ctx context.Context, a *app, one core.Agent) error {
	if err := a.keepAgent(ctx, one); err != nil {
		return err
	}
	_, err := fmt.Fprintf(inv.streams.Out, "added agent %s; try it with: footnote ask --agent %s …\n", one.Name, one.Name)
	return err
}

// keepAgent adds an agent, or replaces one that was added by command.
func (a *app) keepAgent(ctx context.Context, one core.Agent) error {
	if err := config.CheckAgentName(one.Name); err != nil {
		return err
	}
	if old, ok := a.agents.find(one.Name); ok && old.origin == core.FromConfig {
		return core.Errorf(core.KindDenied, "agent %q is listed in the configuration file%s; change it there", one.Name, inFile(a.cfg.File))
	}
	for _, s := range one.Sources {
		if _, err := a.status(ctx, s); err != nil {
			return err
		}
	}
	if err := a.store.PutAgent(ctx, one); err != nil {
		return err
	}
	a.agents.put(one)
	return nil
}

func (inv *invocation) agentRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove an agent that was added by command",
		Args:  exactly(1, "the name of an agent"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.removeAgent(ctx, a, args[0])
			})
		},
	}
}

func (inv *invocation) removeAgent(ctx context.Context, a *app, name string) error {
	if err := a.dropAgent(ctx, name); err != nil {
		return err
	}
	_, err := fmt.Fprintf(inv.streams.Out, "removed agent %s\n", name)
	return err
}

// dropAgent removes an agent that was added by command.
func (a *app) dropAgent(ctx context.Context, name string) error {
	if _, err := a.agents.chosen(name); err != nil {
		return err
	}
	if old, _ := a.agents.find(name); old.origin == core.FromConfig {
		return core.Errorf(core.KindDenied, "agent %q is listed in the configuration file%s; remove it there", name, inFile(a.cfg.File))
	}
	if err := a.store.RemoveAgent(ctx, name); err != nil {
		return err
	}
	a.agents.drop(name)
	return nil
}
