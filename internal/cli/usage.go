package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footnote-bot/footnote/core"
)

func flagNames(c *cobra.Command) []string {
	var names []string
	add := func(f *pflag.Flag) { names = append(names, f.Name) }
	c.Flags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	return names
}

// atLeast refuses fewer words than the command needs and says which are missing.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < n || strings.TrimSpace(strings.Join(args, "")) == "" && n > 0 {
			return core.Errorf(core.KindUsage, "%s needs %s; usage: %s", c.CommandPath(), what, c.UseLine())
		}
		return nil
	}
}

// exactly refuses any other number of words.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > n {
			return core.Errorf(core.KindUsage, "%s does not know what to do with %q; usage: %s", c.CommandPath(), args[n], c.UseLine())
		}
		return atLeast(n, what)(c, args)
	}
}

// atMost refuses more words.
func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > n {
			return core.Errorf(core.KindUsage, "%s does not know what to do with %q; usage: %s", c.CommandPath(), args[n], c.UseLine())
		}
		return nil
	}
}
