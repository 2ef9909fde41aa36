package cli

import "github.com/spf13/cobra"

// pluginCommand is the parent of all that has to do with connectors as programs.
func (inv *invocation) pluginCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "plugin",
		Short: "Write, test and install connectors",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(
		inv.pluginNewCommand(), inv.pluginTestCommand(), inv.pluginRunCommand(), inv.pluginDescribeCommand(),
		inv.pluginInstallCommand(), inv.pluginListCommand(), inv.pluginVerifyCommand(), inv.pluginRemoveCommand(),
	)
	return c
}
