package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

// runName is the source's name while a connector is only tried.
const runName = "run"

type pluginRun struct {
	ref, config, since string
	limit              int
}

func (inv *invocation) pluginRunCommand() *cobra.Command {
	var p pluginRun
	c := &cobra.Command{
		Use:   "run PATH|NAME",
		Short: "Run one sync of a connector and print what it sends",
		Long: `Run one sync of a connector without a server and print what it sends, one JSON
object a line. PATH is a folder or a program as for plugin test; NAME is a connector
that is bundled or installed. What it logs goes to standard error.

The configuration is testdata/config.json in the folder unless --config names
another file. In it ${testdata} is the path of the file's own folder.`,
		Args: exactly(1, "a folder, a program or the name of a connector"),
		RunE: func(c *cobra.Command, args []string) error {
			p.ref = args[0]
			return inv.runPlugin(c.Context(), p)
		},
	}
	f := c.Flags()
	f.StringVar(&p.config, "config", "", "configuration, a JSON file (default testdata/config.json of the folder, if it exists)")
	f.StringVar(&p.since, "since", "", "start from this cursor, as a checkpoint line of an earlier run shows it")
	f.IntVar(&p.limit, "limit", 0, "stop after this many documents (default no limit)")
	return c
}

func (inv *invocation) runPlugin(ctx context.Context, p pluginRun) error {
	if p.limit < 0 {
		return core.Errorf(core.KindUsage, "--limit: %d is negative", p.limit)
	}
	since, err := parseCursor(p.since)
	if err != nil {
		return err
	}
	return inv.withConnector(ctx, p.ref, func(ctx context.Context, r ranConnector) (err error) {
		config := json.RawMessage("{}")
		if file := inv.testConfig(p.config, r.folder); file != "" {
			if config, err = readConnectorConfig(file); err != nil {
				return err
			}
		}
		conn, err := r.host.Open(ctx, core.Source{Name: runName, Connector: r.name, Config: config})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, conn.Close()) }()
		return inv.runSync(ctx, conn, since, p.limit)
	})
}

// errLimit ends a sync that has brought enough.
var errLimit = errors.New("enough documents")

func (inv *invocation) runSync(ctx context.Context, conn *plugins.Connection, since core.Cursor, limit int) error {
	reason := core.SyncFirst
	if len(since) > 0 {
		reason = core.SyncPoll
	}
	count := map[string]int{}
	err := conn.Sync(ctx, since, reason, func(change core.Change) error {
		line := shownChange(change)
		count[line.Event]++
		if err := inv.printJSON(line); err != nil {
			return err
		}
		if limit > 0 && count[eventDocument] == limit {
			return errLimit
		}
		return nil
	})
	fmt.Fprintf(inv.streams.Err, "%s, %d removed, %d failed, %s\n", counted(count[eventDocument], "document"),
		count[eventRemoved], count[eventFailed], counted(count[eventCheckpoint], "checkpoint"))
	if errors.Is(err, errLimit) {
		fmt.Fprintln(inv.streams.Err, "stopped at --limit")
		return nil
	}
	return err
}

// ranConnector is a connector that is tried out of any data folder.
type ranConnector struct {
	host   *plugins.Host
	name   string
	folder string // where its testdata is; empty if nowhere
}

// withConnector makes a host for whatever the user named: a folder, a program, or
// a connector that is bundled or installed.
func (inv *invocation) withConnector(ctx context.Context, ref string, work func(context.Context, ranConnector) error) error {
	tmp, err := os.MkdirTemp("", "footnote-")
	if err != nil {
		return core.Errorf(core.KindDisk, "no temporary folder: %w", err)
	}
	defer os.RemoveAll(tmp)
	log, err := inv.authorLogger()
	if err != nil {
		return err
	}
	o := plugins.Options{Executable: inv.exe, Dir: filepath.Join(tmp, "sources"), Log: log}
	if shelf, ok := inv.installedAs(ref); ok {
		o.Pin, o.Command = shelf.Pin, startOf(inv.exe, shelf)
		return work(ctx, ranConnector{host: plugins.NewHost(o), name: ref})
	}
	found, err := inv.findConnector(ctx, ref, tmp)
	if err != nil {
		return err
	}
	command := inFolder(found)
	o.Command = func(string) (string, []string, error) { return command[0], command[1:], nil }
	name := filepath.Base(inv.path(ref))
	return work(ctx, ranConnector{host: plugins.NewHost(o), name: name, folder: found.folder})
}

// installedAs finds an installed connector that a plain word names. A file or folder
// of that name needs a ./ before it.
func (inv *invocation) installedAs(ref string) (plugins.Shelf, bool) {
	cfg, err := inv.config()
	if err != nil || strings.ContainsRune(ref, filepath.Separator) {
		return plugins.Shelf{}, false
	}
	shelf := shelfOf(cfg)
	_, err = shelf.Find(ref)
	return shelf, err == nil
}

// inFolder is the command that starts a connector where it wants to be started.
func inFolder(found foundConnector) []string {
	if found.dir == "" {
		return found.command
	}
	return append([]string{"/bin/sh", "-c", `cd "$0" && exec "$@"`, found.dir}, found.command...)
}

// authorLogger shows what a connector logs from info on, unless told otherwise.
func (inv *invocation) authorLogger() (*slog.Logger, error) {
	if inv.flags.logLevel == "" {
		inv.flags.logLevel = "info"
	}
	return inv.logger()
}

// connectorConfig fills the file's own folder into a configuration, as plugin test
// does with a copy of it.
func connectorConfig(file string, text []byte) (json.RawMessage, error) {
	folder, err := json.Marshal(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte("${testdata}"), bytes.Trim(folder, `"`))
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, core.Errorf(core.KindConfig, "%s is not one JSON object: %w", file, err)
	}
	return text, nil
}

// cursorText is a cursor as a person can copy it: as it is where that is text.
func cursorText(c core.Cursor) string {
	if utf8.Valid(c) && !strings.HasPrefix(string(c), base64Mark) {
		return string(c)
	}
	return base64Mark + base64.StdEncoding.EncodeToString(c)
}

const base64Mark = "base64:"

func parseCursor(text string) (core.Cursor, error) {
	encoded, ok := strings.CutPrefix(text, base64Mark)
	if !ok {
		return core.Cursor(text), nil
	}
	c, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, core.Errorf(core.KindUsage, "--since: what follows base64: is not base64: %w", err)
	}
	return c, nil
}
