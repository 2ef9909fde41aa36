package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/slack"
)

func (inv *invocation) slackCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "slack",
		Short: "Look after the Slack app",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(inv.slackManifestCommand())
	return c
}

// variantFlags are the ways in which a Slack app can be made.
func variantFlags(c *cobra.Command, v *slack.Variant) {
	c.Flags().BoolVar(&v.MentionOnly, "mention-only", false, "the app reads no messages without a mention, so there are no follow-ups without one")
	c.Flags().BoolVar(&v.NoAgent, "no-agent", false, "leave out the agent pane, for workspaces whose plan lacks it")
	c.Flags().BoolVar(&v.Extras, "extras", false, "also ask for the scopes of what is off by default: long answers as files, joining channels")
}

func (inv *invocation) slackManifestCommand() *cobra.Command {
	var v slack.Variant
	var asJSON bool
	c := &cobra.Command{
		Use:   "manifest",
		Short: "Print the manifest that the Slack app is made from",
		Args:  atMost(0),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				_, err := fmt.Fprintf(inv.streams.Out, "%s\n", slack.Manifest(v))
				return err
			}
			text, err := slack.ManifestYAML(v)
			if err != nil {
				return err
			}
			_, err = inv.streams.Out.Write(text)
			return err
		},
	}
	variantFlags(c, &v)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
