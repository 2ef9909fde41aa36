package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/internal/cli/control"
)

// invocation is one run of a command: words, streams and surroundings. The same
// type serves the process's own command and those that other processes send.
type invocation struct {
	control.Request
	streams control.Streams
	lookup  func(string) (string, bool) // the environment
	exe     string                      // this program, for child processes
	held    *app                        // the open data folder, if this process holds it already

	hangups *control.Interrupts // SIGHUP; nil: none
	level   *slog.LevelVar      // of the logger, once there is one

	patience time.Duration // with a held folder; the default if 0
	limit    time.Duration // of the app that it opens
	goEnv    []string      // of the Go toolchain; nil: that of this process

	flags globalFlags
}

type globalFlags struct {
	config, dataDir, logLevel, logFormat string
}

// run executes the command and returns its exit code.
func (inv *invocation) run(ctx context.Context) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer inv.streams.Interrupts.Catch(cancel)()
	defer inv.hangups.Catch(cancel)()
	root := inv.root()
	root.SetArgs(inv.Args)
	root.SetIn(inv.streams.In)
	root.SetOut(inv.streams.Out)
	root.SetErr(inv.streams.Err)
	return report(inv.streams.Err, root.ExecuteContext(ctx))
}

func (inv *invocation) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "footnote",
		Short: "Answers questions from your team's own documents, with footnotes",
		Long: `Footnote answers questions from your team's own documents. Every statement
carries a footnote that opens the source.

Try it on sample documents:   footnote demo
Use your own:                 footnote source add files FOLDER
                              footnote sync
                              footnote ask "…"`,
		Version:       thisBuild().String(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	f := root.PersistentFlags()
	f.StringVar(&inv.flags.config, "config", "", "configuration file (default footnote.yaml if it exists)")
	f.StringVar(&inv.flags.dataDir, "data-dir", "", "folder that holds everything Footnote remembers (default data)")
	f.StringVar(&inv.flags.logLevel, "log-level", "", "least important log lines to show: debug, info, warn, error (default warn for serve, error otherwise)")
	f.StringVar(&inv.flags.logFormat, "log-format", "text", "log lines as text or json")
	root.SetFlagErrorFunc(unknownFlag)
	root.PersistentPreRun = func(c *cobra.Command, _ []string) { inv.noteOldConfig(c.Name()) }
	root.AddCommand(
		inv.demoCommand(), inv.askCommand(), inv.chatCommand(), inv.searchCommand(),
		inv.sourceCommand(), inv.syncCommand(), inv.pushCommand(), inv.evalCommand(), inv.versionCommand(),
		inv.serveCommand(), inv.reloadCommand(), inv.tokenCommand(), inv.agentCommand(),
		inv.explainCommand(), inv.doctorCommand(),
		inv.collectionCommand(), inv.grantCommand(), inv.identityCommand(),
		inv.accessCommand(), inv.documentCommand(), inv.auditCommand(), inv.adminCommand(), inv.gapsCommand(), inv.usageCommand(), inv.secretCommand(),
		inv.reindexCommand(), inv.backupCommand(), inv.restoreCommand(), inv.initCommand(), inv.slackCommand(), inv.discordCommand(),
		inv.pluginCommand(), inv.servePluginCommand(), inv.extractCommand(),
	)
	root.SetHelpCommand(helpCommand())
	return root
}

// config reads the configuration; a flag wins over it. Where the folder is held
// already, its holder's configuration counts.
func (inv *invocation) config() (config.Config, error) {
	if inv.held != nil {
		return *inv.held.current(), nil
	}
	file := inv.flags.config
	if file == "" {
		file, _ = inv.lookup(config.Prefix + "CONFIG")
	}
	cfg, err := config.Load(file, inv.Dir, inv.lookup)
	if err != nil {
		return cfg, err
	}
	if inv.flags.dataDir != "" {
		cfg.DataDir = inv.path(inv.flags.dataDir)
	}
	return cfg, nil
}

// noteOldConfig says that the process that runs the command for another one does
// not know the configuration file as it is now. The doctor says it by itself.
func (inv *invocation) noteOldConfig(command string) {
	if inv.held != nil && command != "doctor" && inv.held.current().Changed() {
		fmt.Fprintf(inv.streams.Err, "note: %s; what it says now counts after: footnote reload\n", changedFile(inv.held.cfg))
	}
}

func changedFile(cfg config.Config) string {
	return cmp.Or(cfg.File, config.DefaultFile) + " was changed after the footnote process that holds the data folder read it"
}

// path makes a path absolute, seen from where the user typed it.
func (inv *invocation) path(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(inv.Dir, p)
}

// noSuchCommand refuses words that are not a sub-command and names the nearest.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	hint := "see " + c.CommandPath() + " --help"
	if near := config.Nearest(args[0], names); near != "" {
		hint = "did you mean " + c.CommandPath() + " " + near + "?"
	}
	return core.Errorf(core.KindUsage, "unknown command %q; %s", c.CommandPath()+" "+args[0], hint)
}

// unknownFlag names the nearest flag.
func unknownFlag(c *cobra.Command, err error) error {
	text := err.Error()
	_, name, found := strings.Cut(text, "unknown flag: --")
	if !found {
		return core.Errorf(core.KindUsage, "%s; see %s --help", text, c.CommandPath())
	}
	hint := "see " + c.CommandPath() + " --help"
	if near := config.Nearest(name, flagNames(c)); near != "" {
		hint = "did you mean --" + near + "?"
	}
	return core.Errorf(core.KindUsage, "%s has no flag --%s; %s", c.CommandPath(), name, hint)
}
