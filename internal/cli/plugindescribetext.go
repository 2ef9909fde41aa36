package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/footnote-bot/footnote/bot/console"
)

// writeText prints the view for people at a terminal.
func (v connectorView) writeText(w io.Writer) error {
	fmt.Fprintf(w, "%s %s, plugin protocol %d\n", console.Clean(v.Name), console.Clean(v.Version), v.Protocol)
	if v.Help != "" {
		fmt.Fprintf(w, "%s\n", console.Clean(v.Help))
	}
	fmt.Fprintf(w, "\nfeatures: %s\nauth: %s\n", dash(strings.Join(v.Features, ", ")), v.authText())
	for _, l := range v.Limits {
		fmt.Fprintf(w, "limit: %s\n", console.Clean(l.text()))
	}
	if len(v.Fields) > 0 {
		fmt.Fprintln(w, "\nsettings:")
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, f := range v.Fields {
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", console.Clean(f.Name), f.kind(), f.need(), console.Clean(f.Help))
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if v.Tools == nil {
		_, err := fmt.Fprintln(w, "\ntools: known once it is configured; add --config FILE")
		return err
	}
	if len(v.Tools) > 0 {
		fmt.Fprintln(w, "\ntools:")
	}
	for _, t := range v.Tools {
		if _, err := fmt.Fprintf(w, "  %s: %s\n", console.Clean(t.title()), console.Clean(t.Help)); err != nil {
			return err
		}
	}
	return nil
}

// writeMarkdown prints a page for the connector's documentation.
func (v connectorView) writeMarkdown(w io.Writer) error {
	fmt.Fprintf(w, "# %s\n", inCell(v.Name))
	if v.Help != "" {
		fmt.Fprintf(w, "\n%s\n", console.Clean(v.Help))
	}
	fmt.Fprintf(w, "\nVersion %s, plugin protocol %d. Features: %s. Authentication: %s.\n",
		inCell(v.Version), v.Protocol, cmp.Or(strings.Join(v.Features, ", "), "only syncs"), v.authText())
	fmt.Fprintf(w, "\n## Settings\n\n| name | type | needed | meaning |\n|---|---|---|---|\n")
	for _, f := range v.Fields {
		fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", inCell(f.Name), inCell(f.kind()), inCell(f.need()), inCell(f.Help))
	}
	if len(v.Limits) > 0 {
		fmt.Fprintln(w, "\n## Limits")
		fmt.Fprintln(w)
	}
	for _, l := range v.Limits {
		fmt.Fprintf(w, "- %s\n", inCell(l.text()))
	}
	if len(v.Tools) > 0 {
		fmt.Fprintf(w, "\n## Tools\n\n| name | meaning |\n|---|---|\n")
	}
	for _, t := range v.Tools {
		fmt.Fprintf(w, "| %s | %s |\n", inCell(t.title()), inCell(t.Help))
	}
	return nil
}

// inCell makes text fit into a cell of a table.
func inCell(text string) string {
	text = strings.Join(strings.Fields(console.Clean(text)), " ")
	return strings.NewReplacer("|", "\\|", "<", "&lt;").Replace(text)
}

func (v connectorView) authText() string {
	if len(v.Auth.Scopes) > 0 {
		return v.Auth.Kind + " with " + console.Clean(strings.Join(v.Auth.Scopes, ", "))
	}
	return dash(v.Auth.Kind)
}

func (l limitView) text() string {
	return fmt.Sprintf("%s: %g requests a second, %d at once", l.Name, l.PerSecond, l.Burst)
}

func (f fieldView) kind() string {
	switch {
	case f.Secret:
		return "secret"
	case len(f.Enum) > 0:
		return "one of " + strings.Join(f.Enum, ", ")
	}
	return dash(f.Type)
}

func (f fieldView) need() string {
	switch {
	case f.Required:
		return "required"
	case len(f.Default) > 0:
		return "default " + console.Clean(string(f.Default))
	}
	return "optional"
}

func (t toolView) title() string {
	if t.Changes {
		return t.Name + " (changes something)"
	}
	return t.Name
}
