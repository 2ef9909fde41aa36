package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/plugins"
)

// newSource is what the flags of source add say.
type newSource struct {
	name, access, show string
	every, maxAge      time.Duration
	set                []string
}

func (inv *invocation) sourceAddCommand() *cobra.Command {
	var n newSource
	c := &cobra.Command{
		Use:   "add CONNECTOR [VALUE…]",
		Short: "Add a source",
		Long: `Add a source. The values are the connector's required settings in order; others
are given with --set. For a folder of files: footnote source add files FOLDER`,
		Args: atLeast(1, "a connector, such as files"),
		RunE: func(c *cobra.Command, args []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.addSource(ctx, a, n, args[0], args[1:])
			})
		},
	}
	f := c.Flags()
	f.StringVar(&n.name, "name", "", "the source's name (default: made from the folder or connector)")
	f.StringVar(&n.access, "access", "", "who may read documents whose connector leaves it open: public, workspace, nobody, user:EMAIL, group:SOURCE/NAME")
	f.StringVar(&n.show, "show", "", "how its documents may be shown at most: link, number or nothing (default link)")
	f.DurationVar(&n.maxAge, "access-max-age", 0, "how long access that the connector states is trusted without being stated again, up to 168h (default 24h)")
	f.DurationVar(&n.every, "every", 0, "how often to look for changes, such as 15m")
	f.StringArrayVar(&n.set, "set", nil, "one more setting as KEY=VALUE; may be repeated; lists and objects as JSON")
	return c
}

func (inv *invocation) addSource(ctx context.Context, a *app, n newSource, connector string, values []string) error {
	if n.every < 0 {
		return core.Errorf(core.KindUsage, "--every: %s is negative", n.every)
	}
	if n.maxAge < 0 || n.maxAge > core.LongestMaxAge {
		return core.Errorf(core.KindUsage, "--access-max-age: %s is not a time above zero and up to %s", n.maxAge, core.LongestMaxAge)
	}
	if connector == pushConnector && n.every > 0 {
		return core.Errorf(core.KindUsage, "--every: nothing is read of a source of the connector push; leave it out")
	}
	about, err := inv.connector(ctx, a, connector)
	if err != nil {
		return err
	}
	settings, err := inv.settings(about, values, n.set)
	if err != nil {
		return err
	}
	src, err := inv.sourceOf(n, connector, settings)
	if err != nil {
		return err
	}
	if err := a.nameIsFree(ctx, src.Name); err != nil {
		return err
	}
	if err := inv.tryOut(ctx, a, src); err != nil {
		return err
	}
	if n.access == "" && len(src.Access) > 0 {
		fmt.Fprintf(inv.streams.Err, "note: documents of %s may be read by %s; choose with --access\n", src.Name, spelled(src.Access))
	}
	if err := a.store.PutSource(ctx, src); err != nil {
		return err
	}
	if err := a.audit(ctx, core.AuditConfig, map[string]string{"source": src.Name, "added": "yes", "access": joined(src.Access)}); err != nil {
		return err
	}
	next := "read it with: footnote sync " + src.Name
	if connector == pushConnector {
		next = "push to it with: footnote push " + src.Name + " FILE, or over HTTP with a token of: footnote token create --source " + src.Name
	}
	_, err = fmt.Fprintf(inv.streams.Out, "added source %s; %s\n", src.Name, next)
	return err
}

// connector asks a connector what it is. One that does not exist is of kind not
// found.
func (inv *invocation) connector(ctx context.Context, a *app, name string) (plugins.Description, error) {
	if name == pushConnector {
		return describePush(), nil
	}
	return a.host.Describe(ctx, name)
}

func (inv *invocation) sourceOf(n newSource, connector string, settings map[string]any) (core.Source, error) {
	src := core.Source{Name: n.name, Connector: connector, Every: n.every, MaxAge: n.maxAge, Origin: core.FromCommand}
	var err error
	if src.Discretion, err = config.ParseShow(n.show); err != nil {
		return src, core.Errorf(core.KindUsage, "--show: %w", err)
	}
	b := bundledConnectors()[connector]
	for _, field := range b.paths {
		if p, ok := settings[field].(string); ok && p != "" {
			settings[field] = inv.path(p)
			if src.Name == "" {
				src.Name = nameFrom(filepath.Base(inv.path(p)))
			}
		}
	}
	if src.Name == "" {
		src.Name = nameFrom(connector)
	}
	if err := config.CheckSourceName(src.Name); err != nil {
		return src, err
	}
	if n.access != "" {
		if src.Access, err = core.ParseAccess(n.access); err != nil {
			return src, core.Errorf(core.KindUsage, "--access: %w", err)
		}
	} else {
		src.Access = b.access
	}
	src.Config, err = json.Marshal(settings)
	return src, err
}

func spelled(access core.Access) string {
	if len(access) == 1 && access[0] == core.Workspace {
		return "workspace (every full member)"
	}
	return joined(access)
}

var notInName = regexp.MustCompile(`[^a-z0-9_]+`)

// nameFrom makes a source name of any text, "" if nothing is left of it.
func nameFrom(text string) string {
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(text), "-"), "-_")
	return name[:min(len(name), 64)]
}

func (a *app) nameIsFree(ctx context.Context, name string) error {
	old, err := a.store.Source(ctx, name)
	switch {
	case core.KindOf(err) == core.KindNotFound:
		return nil
	case err != nil:
		return err
	case old.Origin == core.FromConfig:
		return core.Errorf(core.KindConflict, "source %q is listed in the configuration file%s; choose another --name", name, inFile(a.cfg.File))
	}
	return core.Errorf(core.KindConflict, "there is a source %q already; choose another --name, or remove it with: footnote source remove %s", name, name)
}

// tryOut starts the connector with the settings and asks whether they work.
func (inv *invocation) tryOut(ctx context.Context, a *app, src core.Source) (err error) {
	if src.Connector == pushConnector {
		return nil
	}
	conn, err := a.host.Open(ctx, src)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	a.sources.learn(ctx, src, conn.About().Features)
	warnings, err := conn.Check(ctx)
	for _, w := range warnings {
		fmt.Fprintf(inv.streams.Err, "note: %s\n", w)
	}
	return err
}
