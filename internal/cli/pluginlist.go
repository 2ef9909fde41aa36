package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
	"github.com/footnote-bot/footnote/plugins"
)

// pluginView is a connector as plugin list prints it.
type pluginView struct {
	Name      string             `json:"name"`
	Version   string             `json:"version"`
	Source    string             `json:"source"` // bundled, local, go:…, an address, or dev with a path
	Protocol  int                `json:"protocol"`
	Features  []string           `json:"features"`
	Sources   []pluginSourceView `json:"sources"` // that use it
	State     string             `json:"state"`   // ok, dev, missing or changed
	LastError string             `json:"last_error,omitempty"`
}

// pluginSourceView is how a source fares with its connector.
type pluginSourceView struct {
	Name  string        `json:"name"`
	State plugins.State `json:"state"`
	Error string        `json:"error,omitempty"`
}

func (inv *invocation) pluginListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the connectors, who uses them and how they fare",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.listPlugins(ctx, a, asJSON)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

func (inv *invocation) listPlugins(ctx context.Context, a *app, asJSON bool) error {
	views, err := a.pluginViews(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(inv.streams.Out, 0, 0, 2, ' ', 0)
	if !asJSON {
		fmt.Fprintln(table, "NAME\tVERSION\tFROM\tPROTOCOL\tFEATURES\tSOURCES\tSTATE\tLAST ERROR")
	}
	for _, v := range views {
		if asJSON {
			err = inv.printJSON(v)
		} else {
			_, err = fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", v.Name, v.Version, console.Clean(v.Source), v.Protocol,
				dash(strings.Join(v.Features, " ")), dash(v.sources()), v.State, dash(console.Clean(v.LastError)))
		}
		if err != nil {
			return err
		}
	}
	return table.Flush()
}

// sources names them, with the state of those that do not work.
func (v pluginView) sources() string {
	var out []string
	for _, s := range v.Sources {
		name := s.Name
		if s.State == plugins.StateParked || s.State == plugins.StateWaiting {
			name += " (" + string(s.State) + ")"
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// pluginViews lists the bundled connectors and the installed ones.
func (a *app) pluginViews(ctx context.Context) ([]pluginView, error) {
	installed, err := a.shelf.All()
	if err != nil {
		return nil, err
	}
	users, err := a.connectorUsers(ctx)
	if err != nil {
		return nil, err
	}
	var out []pluginView
	for _, name := range bundledNames() {
		v := pluginView{Name: name, Source: "bundled", Protocol: wire.ProtocolVersion, State: "ok", Features: []string{}}
		about, err := a.host.Describe(ctx, name)
		if err != nil {
			v.State, v.LastError = "failed", err.Error()
		} else {
			v.Version, v.Features = about.Version, append(v.Features, about.Features...)
		}
		out = append(out, v.with(users[name]))
	}
	for _, l := range installed {
		out = append(out, a.installedView(l).with(users[l.Name]))
	}
	return out, nil
}

func (a *app) installedView(l plugins.Locked) pluginView {
	v := pluginView{
		Name: l.Name, Version: l.Version, Source: l.Source, Protocol: l.Protocol,
		Features: append([]string{}, l.Features...), State: "ok",
	}
	err := a.shelf.Verify(l)
	switch {
	case core.KindOf(err) == core.KindNotFound:
		v.State, v.LastError = "missing", err.Error()
	case err != nil:
		v.State, v.LastError = "changed", err.Error()
	case l.Follows != "":
		v.State = "dev"
	}
	if l.Follows != "" {
		v.Source = "dev " + l.Follows
	}
	return v
}

// with adds the sources that use the connector. The error of one of them stands
// for all where the program itself is fine.
func (v pluginView) with(users []pluginSourceView) pluginView {
	v.Sources = append([]pluginSourceView{}, users...)
	for _, s := range users {
		if v.LastError == "" && s.Error != "" {
			v.LastError = s.Name + ": " + s.Error
		}
	}
	return v
}

// connectorUsers lists the sources by connector, with what the host and the ledger
// know of them.
func (a *app) connectorUsers(ctx context.Context) (map[string][]pluginSourceView, error) {
	sources, err := a.store.Sources(ctx)
	if err != nil {
		return nil, err
	}
	states, err := a.host.States(ctx)
	if err != nil {
		return nil, err
	}
	bySource := map[string]plugins.SourceState{}
	for _, s := range states {
		bySource[s.Source] = s
	}
	out := map[string][]pluginSourceView{}
	for _, src := range sources {
		v := pluginSourceView{Name: src.Name, State: plugins.StateReady}
		if s, ok := bySource[src.Name]; ok {
			v.State = s.State
			if s.Err != nil {
				v.Error = s.Err.Error()
			}
		}
		if st, err := a.store.SourceStatus(ctx, src.Name); err == nil && v.Error == "" && st.LastRun != nil {
			v.Error = st.LastRun.Error
		}
		out[src.Connector] = append(out[src.Connector], v)
	}
	return out, nil
}
