package cli

import "github.com/spf13/cobra"

// helpCommand is cobra's, but what it is asked of must exist: a script that asks after
// a command learns from the exit code that there is none.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Tell about a command",
		Long:  "Tell what a command does and which flags it takes, as footnote COMMAND --help does.",
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if len(rest) > 0 || err != nil {
				return noSuchCommand(about, rest)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
