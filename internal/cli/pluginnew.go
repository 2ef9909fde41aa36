package cli

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
	"github.com/footnote-bot/footnote/plugins"
)

//go:embed scaffold
var scaffold embed.FS

type pluginNew struct {
	path, lang, module string
	full               bool
}

// newConnector is what the files of a new connector are filled in with.
type newConnector struct {
	Name     string
	Protocol int
	Replace  bool
}

func (inv *invocation) pluginNewCommand() *cobra.Command {
	var p pluginNew
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a connector that works, to start from",
		Long: `Write a connector that works into a new folder NAME: the program, its test, a
configuration to try it with, a Makefile and a workflow that publishes releases.`,
		Args: exactly(1, "a name for the connector"),
		RunE: func(_ *cobra.Command, args []string) error {
			p.path = args[0]
			return inv.newPlugin(p)
		},
	}
	f := c.Flags()
	f.BoolVar(&p.full, "full", false, "with the optional parts: check, list, search, tools")
	f.StringVar(&p.lang, "lang", "go", "programming language; go is the only one so far")
	f.StringVar(&p.module, "module", "", "module path (default example.org/footnote-NAME)")
	return c
}

func (inv *invocation) newPlugin(p pluginNew) error {
	dir := inv.path(p.path)
	name := filepath.Base(dir)
	if err := plugins.CheckName(name); err != nil {
		return core.Wrap(core.KindUsage, err, err.Error())
	}
	if _, ok := bundledConnectors()[name]; ok {
		return core.Errorf(core.KindConflict, "a connector called %q comes with Footnote; choose another name", name)
	}
	if p.lang != "go" {
		return core.Errorf(core.KindUsage, "--lang: there is nothing to start from in %q, only in go; docs/plugin-protocol.md says what a connector in another language has to speak", p.lang)
	}
	if err := checkModulePath(p.module); err != nil {
		return err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return core.Errorf(core.KindConflict, "the folder %s is there already and is not empty; choose another name", dir)
	}
	mod := moduleOf(thisBuild().Version, sourceFolder(inv.exe))
	if p.module == "" {
		p.module = "example.org/footnote-" + name
	}
	if err := mod.write(dir, p.module); err != nil {
		return err
	}
	fill := newConnector{Name: name, Protocol: wire.ProtocolVersion, Replace: mod.source != ""}
	if err := writeScaffold(dir, p.full, fill); err != nil {
		return err
	}
	_, err := fmt.Fprintf(inv.streams.Out, "wrote a connector to %s. Next:\n  cd %s\n  go mod tidy\n  go test ./...\n  footnote plugin test .\n", dir, p.path)
	return err
}

// checkModulePath refuses what cannot stand in go.mod.
func checkModulePath(module string) error {
	bad := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._~/", r))
	}
	if strings.ContainsFunc(module, bad) || strings.HasPrefix(module, "/") || strings.HasSuffix(module, "/") {
		return core.Errorf(core.KindUsage, "--module: %q is not a module path such as example.org/footnote-jira", module)
	}
	return nil
}

// hidden are files whose names begin with a dot where they are written.
var hidden = map[string]string{"gitignore": ".gitignore", "github/workflows/release.yml": ".github/workflows/release.yml"}

// writeScaffold fills the files in. Those of the folder full are the optional parts.
func writeScaffold(dir string, full bool, fill newConnector) error {
	return fs.WalkDir(scaffold, "scaffold", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		to := strings.TrimSuffix(strings.TrimPrefix(name, "scaffold/"), ".tmpl")
		optional, isOptional := strings.CutPrefix(to, "full/")
		if isOptional && !full {
			return nil
		}
		if dotted, ok := hidden[optional]; ok {
			optional = dotted
		}
		return writeTemplate(name, filepath.Join(dir, filepath.FromSlash(optional)), fill)
	})
}

func writeTemplate(name, to string, fill newConnector) error {
	t, err := template.New(path.Base(name)).Delims("[[", "]]").ParseFS(scaffold, name)
	if err != nil {
		return core.Errorf(core.KindInternal, "a file to start from cannot be read: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return core.Errorf(core.KindDisk, "the connector cannot be written: %w", err)
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return core.Errorf(core.KindDisk, "the connector cannot be written: %w", err)
	}
	if err := errors.Join(t.Execute(f, fill), f.Close()); err != nil {
		return core.Errorf(core.KindDisk, "%s cannot be written: %w", to, err)
	}
	return nil
}
