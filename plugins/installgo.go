package plugins

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/launch"
)

// goPackage is an import path and a version as go install takes them. Nothing in
// it can be read as a flag.
var goPackage = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~/-]*@[A-Za-z0-9][A-Za-z0-9.+_/-]*$`)

// planGo plans a program that the Go toolchain compiles from a module.
func (i *Installer) planGo(ref string, w Wanted) (*Plan, error) {
	if !goPackage.MatchString(ref) {
		return nil, core.Errorf(core.KindUsage, "go:%s is not of the form go:PACKAGE@VERSION, such as go:example.org/footnote-jira@v1.2.0", cut(oneLine(ref), 200))
	}
	if w.SHA256 != "" {
		return nil, core.Errorf(core.KindUsage, "--sha256 has no use with go:, where Go's checksum database knows the module")
	}
	all, err := i.All()
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		if l.Source == "go:"+ref && i.whole(l) {
			return &Plan{block: l, Present: true}, nil
		}
	}
	return i.goPlan(&Plan{block: Locked{Source: "go:" + ref}}, ref)
}

func (i *Installer) goPlan(p *Plan, ref string) (*Plan, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return nil, core.Errorf(core.KindNotFound,
			"go:%s needs the Go toolchain, and there is no go in the PATH of the footnote process that holds the data folder: install Go (https://go.dev/dl), or install a release of the connector instead", ref)
	}
	p.Lines = append(p.Lines, "go install -trimpath "+ref+", which fetches and compiles the module, and the program that comes of it")
	p.fetch = func(ctx context.Context, tmp string) (string, error) { return i.goInstall(ctx, p, tool, ref, tmp) }
	return p, nil
}

// goInstall compiles the module and reads from the program what it was made of.
func (i *Installer) goInstall(ctx context.Context, p *Plan, tool, ref, tmp string) (string, error) {
	bin := filepath.Join(tmp, "bin")
	cmd := exec.CommandContext(ctx, tool, "install", "-trimpath", ref)
	cmd.Dir, cmd.Env = tmp, i.goEnv(bin)
	i.stage("compiling %s", ref)
	launch.OwnGroup(cmd)
	cmd.Cancel = func() error { launch.KillGroup(cmd.Process.Pid); return nil }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", stopped(ctx, "compiling "+ref)
	}
	if err != nil {
		text := string(bytes.TrimSpace(out))
		if len(text) > 2000 {
			text = "…" + text[len(text)-2000:]
		}
		return "", core.Errorf(core.KindUnavailable, "go install %s failed: %w\n%s", ref, err, text)
	}
	program, err := onlyFile(bin)
	if err != nil {
		return "", core.Errorf(core.KindInvalid, "go install %s made no program (%w): name the package with the connector's main", ref, err)
	}
	made, err := buildinfo.ReadFile(program)
	if err != nil {
		return "", core.Errorf(core.KindInvalid, "the program of %s does not say what it was made of: %w", ref, err)
	}
	module := Module{Path: made.Main.Path, Version: made.Main.Version, Sum: made.Main.Sum}
	if module.Sum == "" || !goodVersion.MatchString(module.Version) {
		return "", core.Errorf(core.KindInvalid, "the program of %s was not made of a released module: its sum is not known", ref)
	}
	if p.frozen && module != p.block.Module {
		return "", core.Errorf(core.KindConfig,
			"connector %q is locked to %s %s with sum %s, and Go brought %s with sum %s: the version was released again with other content. Nothing was run",
			p.block.Name, p.block.Module.Path, p.block.Module.Version, p.block.Module.Sum, module.Version, module.Sum)
	}
	p.block.Module, p.block.Version = module, module.Version
	pkg, _, _ := strings.Cut(ref, "@")
	p.block.Source = "go:" + pkg + "@" + module.Version
	return program, nil
}

// goEnv is the environment of the toolchain: without our own settings, which hold
// secrets, and so that the program is one for this machine.
func (i *Installer) goEnv(bin string) []string {
	environ := i.Environ
	if environ == nil {
		environ = os.Environ()
	}
	var out []string
	for _, e := range environ {
		switch name, _, _ := strings.Cut(e, "="); {
		case strings.HasPrefix(name, "FOOTNOTE_"), name == "GOBIN", name == "GOOS", name == "GOARCH", name == "GOWORK":
		default:
			out = append(out, e)
		}
	}
	return append(out, "GOBIN="+bin, "GOWORK=off")
}

func onlyFile(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if len(entries) != 1 || !entries[0].Type().IsRegular() {
		return "", errors.New("there is not exactly one")
	}
	return filepath.Join(dir, entries[0].Name()), nil
}
