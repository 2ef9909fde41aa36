package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/slack"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// slackSetup is what footnote init slack is given or asks for.
type slackSetup struct {
	variant                              slack.Variant
	name, bot, app, configToken, address string
	away                                 bool // the workspace is not home
	print                                bool
}

func (inv *invocation) initSlackCommand() *cobra.Command {
	var s slackSetup
	c := &cobra.Command{
		Use:   "slack",
		Short: "Set up the Slack app and write it into footnote.yaml",
		Long: `Set up the Slack app: print the link that makes it, take its two tokens, try them
out and write them into footnote.yaml. Tokens that are not given by flag or
environment (FOOTNOTE_SLACK_BOT_TOKEN, FOOTNOTE_SLACK_APP_TOKEN) are asked for.

With --config-token, a configuration token from api.slack.com/apps, the app is
made for you.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error { return inv.initSlack(c.Context(), s) },
	}
	f := c.Flags()
	f.StringVar(&s.name, "name", "team", "what to call the workspace in footnote.yaml")
	f.StringVar(&s.bot, "bot-token", "", "the bot's token, xoxb-…")
	f.StringVar(&s.app, "app-token", "", "the app-level token, xapp-…")
	f.StringVar(&s.configToken, "config-token", "", "a configuration token, xoxe.xoxp-…, with which the app is made")
	f.StringVar(&s.address, "api-url", "", "another address of Slack's Web API, for tests")
	f.BoolVar(&s.away, "not-home", false, "its members are not full members of this install")
	f.BoolVar(&s.print, "print", false, "print the lines for footnote.yaml instead of writing them")
	variantFlags(c, &s.variant)
	return c
}

func (inv *invocation) initSlack(ctx context.Context, s slackSetup) error {
	cfg, err := inv.config()
	if err != nil {
		return err
	}
	if err := config.CheckSourceName(s.name); err != nil {
		return core.Errorf(core.KindUsage, "--name: %w", err)
	}
	for _, known := range cfg.Slack {
		if known.Name == s.name {
			return core.Errorf(core.KindConflict, "footnote.yaml has a Slack workspace %q already; choose another --name, or change it there", s.name)
		}
	}
	if err := inv.makeApp(ctx, s); err != nil {
		return err
	}
	in := bufio.NewReader(inv.streams.In)
	if s.bot, err = inv.token(in, s.bot, "SLACK_BOT_TOKEN", "Bot token (xoxb-…)"); err != nil {
		return err
	}
	if s.app, err = inv.token(in, s.app, "SLACK_APP_TOKEN", "App-level token (xapp-…)"); err != nil {
		return err
	}
	w := slack.Workspace{Name: s.name, BotToken: s.bot, AppToken: s.app, APIURL: s.address, MentionOnly: s.variant.MentionOnly}
	team, lacks, err := slack.CheckTokens(ctx, w, s.variant)
	if err != nil {
		return err
	}
	fmt.Fprintf(inv.streams.Err, "Both tokens work; the bot is in the workspace %s.\n", team)
	for _, l := range lacks {
		fmt.Fprintf(inv.streams.Err, "note: without the scopes %s there is no %s\n", strings.Join(l.Scopes, ", "), l.Feature)
	}
	return inv.writeEntry(cfg, "slack", len(cfg.Slack) > 0 || s.print, s.name,
		[]slackEntry{{s.name, s.bot, s.app, !s.away, s.address, s.variant.MentionOnly}})
}

// makeApp makes the app, or says how to.
func (inv *invocation) makeApp(ctx context.Context, s slackSetup) error {
	if s.configToken != "" {
		made, err := slack.CreateApp(ctx, s.address, s.configToken, s.variant)
		if err != nil {
			return err
		}
		fmt.Fprintf(inv.streams.Err, "The app %s is made. Install it into the workspace:\n  %s\nThen make an app-level token with the scope connections:write under Basic Information.\n\n", made.ID, made.Install)
		return nil
	}
	if s.bot != "" && s.app != "" {
		return nil // the app is there
	}
	fmt.Fprintf(inv.streams.Err, `1. Open this link and make the app from the manifest in it:
   %s
2. Install it into the workspace (Install App) and copy the bot token, xoxb-…
3. Under Basic Information make an app-level token with the scope
   connections:write and copy it, xapp-…

`, slack.NewAppLink(s.variant))
	return nil
}

// token takes a token from the flag, the environment or the person.
func (inv *invocation) token(in *bufio.Reader, given, variable, prompt string) (string, error) {
	if given == "" {
		given, _ = inv.lookup(config.Prefix + variable)
	}
	if given != "" {
		return strings.TrimSpace(given), nil
	}
	fmt.Fprintf(inv.streams.Err, "%s: ", prompt)
	line, err := in.ReadString('\n')
	if line = strings.TrimSpace(line); line != "" {
		return line, nil
	}
	if err != nil {
		fmt.Fprintln(inv.streams.Err) // nobody pressed Enter behind the prompt
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", core.Errorf(core.KindInvalid, "cannot read from standard input: %w", err)
	}
	return "", core.Errorf(core.KindUsage, "the %s is missing; give it as a flag, in %s%s, or type it in", strings.ToLower(prompt), config.Prefix, variable)
}

// slackEntry is the entry in footnote.yaml.
type slackEntry struct {
	Name        string `yaml:"name"`
	BotToken    string `yaml:"bot_token"`
	AppToken    string `yaml:"app_token"`
	Home        bool   `yaml:"home"`
	APIURL      string `yaml:"api_url,omitempty"`
	MentionOnly bool   `yaml:"mention_only,omitempty"`
}

// writeEntry adds what a platform is called by to the file, whose other lines stay
// as they are; it only prints it where the file has such a list already.
func (inv *invocation) writeEntry(cfg config.Config, key string, show bool, name string, entries any) error {
	lines, err := yaml.Marshal(map[string]any{key: entries})
	if err != nil {
		return core.Errorf(core.KindInternal, "cannot write the entry: %w", err)
	}
	path := cmp.Or(cfg.File, inv.path(config.DefaultFile))
	if show {
		fmt.Fprintf(inv.streams.Err, "Put this into %s:\n", path)
		_, err := inv.streams.Out.Write(lines)
		return err
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return core.Errorf(core.KindConfig, "cannot read %s: %w", path, err)
	}
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		old = append(old, '\n')
	}
	if err := replaceFile(path, append(old, lines...)); err != nil {
		return err
	}
	fmt.Fprintf(inv.streams.Out, "wrote %s to %s; try it with: footnote doctor, then: footnote serve\n", name, path)
	return nil
}

// replaceFile writes the file anew in one step. It holds tokens now, so only its
// owner may read it.
func replaceFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".footnote-*.yaml")
	if err != nil {
		return core.Errorf(core.KindDisk, "cannot write %s: %w", path, err)
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return core.Errorf(core.KindDisk, "cannot write %s: %w", path, err)
	}
	return nil
}
