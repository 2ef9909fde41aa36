package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
)

// pluginTest is what `plugin test` is asked for.
type pluginTest struct {
	path   string
	config string
	only   []string
	asJSON bool
}

func (inv *invocation) pluginTestCommand() *cobra.Command {
	var p pluginTest
	c := &cobra.Command{
		Use:   "test PATH",
		Short: "Hold a connector against what Footnote expects of one",
		Long: `Hold a connector against what Footnote expects of one, in a real process.

PATH is a folder with a Go program, which is built; a folder with a package.json,
whose start script is run; a program; or the name of a bundled connector.

The configuration is testdata/config.json in the folder unless --config names
another file. The file plugintest.json beside it may say more of the test: "touch"
and "remove" are commands that change and remove a document, "script" is a system
as an HTTP server, "query" and "viewer" are for searches, "skip" names checks with
the reason. In both, ${testdata} is the path of a copy of their folder.

The exit code is 1 if a check fails.`,
		Args: exactly(1, "a folder, a program or the name of a bundled connector"),
		RunE: func(c *cobra.Command, args []string) error {
			p.path = args[0]
			return inv.testPlugin(c.Context(), p)
		},
	}
	c.Flags().StringVar(&p.config, "config", "", "configuration to test with, a JSON file (default testdata/config.json of the folder, if it exists)")
	c.Flags().StringSliceVar(&p.only, "only", nil, "run only these checks or features, such as sync or list.equal")
	c.Flags().BoolVar(&p.asJSON, "json", false, "print one JSON object a check")
	return c
}

func (inv *invocation) testPlugin(ctx context.Context, p pluginTest) error {
	tmp, err := os.MkdirTemp("", "footnote-")
	if err != nil {
		return core.Errorf(core.KindDisk, "no temporary folder: %w", err)
	}
	defer os.RemoveAll(tmp)
	found, err := inv.findConnector(ctx, p.path, tmp)
	if err != nil {
		return err
	}
	subject := plugintest.Subject{Command: found.command, Dir: found.dir}
	o := plugintest.Options{Only: p.only, Each: func(r plugintest.Result) { inv.showResult(r, p.asJSON) }}
	if file := inv.testConfig(p.config, found.folder); file != "" {
		if o.Skip, err = subject.Load(file, tmp); err != nil {
			return core.Wrap(core.KindConfig, err, err.Error())
		}
	}
	results, err := plugintest.Test(ctx, subject, o)
	switch {
	case ctx.Err() != nil:
		return core.Wrap(core.KindCancelled, ctx.Err(), "the test was stopped")
	case err != nil:
		return core.Wrap(core.KindUsage, err, err.Error())
	}
	if !p.asJSON {
		if err := plugintest.WriteSummary(inv.streams.Out, results); err != nil {
			return err
		}
	}
	if plugintest.Failed(results) > 0 {
		return exited(exitFailure)
	}
	return nil
}

// showResult prints a result as soon as it is there. What cannot be written is
// seen by the summary.
func (inv *invocation) showResult(r plugintest.Result, asJSON bool) {
	if asJSON {
		_ = inv.printJSON(r)
		return
	}
	_ = plugintest.WriteResult(inv.streams.Out, r)
}

// testConfig is the configuration file to test with, "" if there is none.
func (inv *invocation) testConfig(named, folder string) string {
	if named != "" {
		return inv.path(named)
	}
	if folder == "" {
		return ""
	}
	file := filepath.Join(folder, "testdata", "config.json")
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		return ""
	}
	return file
}

// foundConnector is a connector that can be started.
type foundConnector struct {
	command []string
	dir     string // to start it in; empty means the source's own folder
	folder  string // where its testdata is; empty if nowhere
}

// findConnector makes something that can be started out of what the user named.
func (inv *invocation) findConnector(ctx context.Context, named, tmp string) (foundConnector, error) {
	if _, ok := bundledConnectors()[named]; ok {
		return foundConnector{command: []string{inv.exe, "serve-plugin", named}}, nil
	}
	path := inv.path(named)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && !strings.ContainsRune(named, filepath.Separator):
		return foundConnector{}, core.Errorf(core.KindNotFound, "there is neither a folder or program %s nor a bundled connector of that name", path)
	case err != nil:
		return foundConnector{}, core.Errorf(core.KindNotFound, "the connector cannot be read: %w", err)
	case info.IsDir():
		return buildConnector(ctx, path, tmp)
	case info.Mode()&0o111 == 0:
		return foundConnector{}, core.Errorf(core.KindInvalid, "%s is not a program: name one, or a folder; chmod +x makes a script one", path)
	}
	return foundConnector{command: []string{path}, folder: filepath.Dir(path)}, nil
}
