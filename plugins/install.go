package plugins

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Installer puts connectors on a shelf. Who uses it holds the data folder.
type Installer struct {
	Shelf
	Log     *slog.Logger
	Version string       // of this Footnote; one that is no release meets every demand
	Dir     string       // from which relative paths are seen
	Client  *http.Client // nil means one with limits, see newClient
	Environ []string     // of the Go toolchain; nil means that of this process
	Stage   func(string) // told what takes a while, now and then; may be nil
}

func (i *Installer) stage(format string, args ...any) {
	if i.Stage != nil {
		i.Stage(fmt.Sprintf(format, args...))
	}
}

// Wanted is what somebody asks to be installed.
type Wanted struct {
	Ref    string // a file, go:PACKAGE@VERSION, an address, or a name that is in the lock
	SHA256 string // of the download, in hex; needed for one that no manifest names
	Follow bool   // start the file where it lies instead of copying it
}

// Plan is what an installation will do. Nothing of the connector was started or
// compiled for it.
type Plan struct {
	Lines   []string // for people, what will be run
	Present bool     // it is installed already, and whole

	block  Locked // what is known beforehand
	want   string // SHA-256 that the program must have; empty if any will do
	strict bool   // name and version were promised, the program has to say the same
	frozen bool   // the lock is the measure, not the world
	fetch  func(ctx context.Context, tmp string) (program string, err error)
}

// Install carries out a plan: fetch into a folder of its own, compare the sum,
// start the program to ask what it is, move it to its place, write the lock. What
// was installed before stays in use until then.
func (i *Installer) Install(ctx context.Context, p *Plan) (Locked, error) {
	if p.Present {
		return p.block, nil
	}
	if p.block.Follows != "" {
		return i.follow(ctx, p.block)
	}
	if err := errors.Join(os.MkdirAll(i.Shelf.Dir, 0o700), i.clear()); err != nil {
		return Locked{}, core.Errorf(core.KindDisk, "the folder of connectors cannot be made: %w", err)
	}
	tmp, err := os.MkdirTemp(i.Shelf.Dir, ".new-")
	if err != nil {
		return Locked{}, core.Errorf(core.KindDisk, "the folder of connectors cannot be written: %w", err)
	}
	defer os.RemoveAll(tmp)
	program, err := p.fetch(ctx, tmp)
	if err != nil {
		return Locked{}, err
	}
	if err := os.Chmod(program, 0o700); err != nil {
		return Locked{}, core.Errorf(core.KindDisk, "the new program cannot be made one: %w", err)
	}
	sum, err := sumOf(program)
	if err != nil {
		return Locked{}, core.Errorf(core.KindDisk, "the new program cannot be read: %w", err)
	}
	if p.want != "" && sum != p.want {
		return Locked{}, i.changed(p, sum)
	}
	l, err := i.identify(ctx, p, program, sum)
	if err != nil {
		return Locked{}, err
	}
	return l, i.place(l, program)
}

// changed says that the platform is in the lock or manifest, but that its content
// is another by now.
func (i *Installer) changed(p *Plan, sum string) error {
	if p.block.Module.Path != "" {
		return core.Errorf(core.KindConfig,
			"connector %q was built from the module that is locked, but became a program with SHA-256 %s where %s is locked: another version of Go does that. To lock this one: footnote plugin install %s",
			p.block.Name, sum, p.want, p.block.Source)
	}
	return core.Errorf(core.KindConfig,
		"connector %q: the program for %s has SHA-256 %s and should have %s. The platform is known, but its content is not what was locked: version %s was released again with other content, or somebody changed it on the way. Nothing was installed",
		p.block.Name, i.platform(), sum, p.want, p.block.Version)
}

// identify starts the new program once, to ask what it is, and completes its block.
func (i *Installer) identify(ctx context.Context, p *Plan, program, sum string) (Locked, error) {
	about, err := i.describe(ctx, program, sum)
	if err != nil {
		return Locked{}, err
	}
	l := p.block
	if l.Name != "" && about.Name != l.Name || p.strict && bare(about.Version) != bare(l.Version) {
		return Locked{}, core.Errorf(core.KindInvalid,
			"this was to be %s %s, but the program says that it is %s %s: report this to its author. Nothing was installed",
			l.Name, l.Version, cut(oneLine(about.Name), 100), cut(oneLine(about.Version), 100))
	}
	l.Name = about.Name
	if l.Version == "" {
		l.Version = about.Version
	}
	l.Protocol, l.Features = wire.ProtocolVersion, knownFeatures(about.Features)
	if err := i.mayBeCalled(l.Name, l.Version); err != nil {
		return Locked{}, err
	}
	return i.complete(l, sum)
}

// complete adds the sum of this platform to a block, and those that the lock has of
// other platforms.
func (i *Installer) complete(l Locked, sum string) (Locked, error) {
	old, err := i.Find(l.Name)
	if err != nil && core.KindOf(err) != core.KindNotFound {
		return Locked{}, err
	}
	if old.Module.Path == l.Module.Path && old.Module.Version == l.Module.Version && old.Module.Sum != l.Module.Sum {
		return Locked{}, core.Errorf(core.KindConfig,
			"connector %q: %s %s is locked with sum %s, and Go brought it with sum %s: the version was released again with other content. Nothing was installed",
			l.Name, l.Module.Path, l.Module.Version, old.Module.Sum, l.Module.Sum)
	}
	l.Programs, l.Downloads = maps.Clone(l.Programs), maps.Clone(l.Downloads)
	if l.Programs == nil {
		l.Programs = map[string]string{}
	}
	l.Programs[i.platform()] = sum
	l.keepPlatforms(old)
	return l, nil
}

// keepPlatforms takes over what another machine has locked of the same release.
func (l *Locked) keepPlatforms(old Locked) {
	if old.Version != l.Version || old.Source != l.Source || old.Module != l.Module {
		return
	}
	for platform, sum := range old.Programs {
		if _, ok := l.Programs[platform]; !ok && old.Downloads[platform] == l.Downloads[platform] {
			l.Programs[platform] = sum
		}
	}
}

// knownFeatures keeps words that may stand in the lock.
func knownFeatures(features []string) []string {
	return slices.DeleteFunc(slices.Clone(features), func(f string) bool {
		return f == "" || strings.ContainsFunc(f, notInToolName)
	})
}

// mayBeCalled refuses names and versions that are no names of folders, and the
// names of bundled connectors.
func (i *Installer) mayBeCalled(name, version string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if slices.Contains(i.Bundled, name) {
		return core.Errorf(core.KindConflict, "a connector called %q comes with Footnote, so that none of that name can be installed: it needs another name in its main", name)
	}
	return checkVersion(name, version)
}

// describe starts a program whose sum is known, outside of any source.
func (i *Installer) describe(ctx context.Context, program, sum string) (Description, error) {
	host := NewHost(Options{
		Dir: filepath.Dir(program), Log: i.Log,
		Pin: func(string) (string, string, bool) { return program, sum, true },
	})
	return host.Describe(ctx, filepath.Base(program))
}

// place moves the program where it is started from, and only then says so in the
// lock.
func (i *Installer) place(l Locked, program string) error {
	dir := filepath.Join(i.Shelf.Dir, l.Name, l.Version)
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.Rename(program, filepath.Join(dir, l.Name))
	}
	if err != nil {
		return core.Errorf(core.KindDisk, "connector %q cannot be put into %s: %w", l.Name, dir, err)
	}
	if err := i.put(l); err != nil {
		return err
	}
	if err := i.keepOnly(l.Name, l.Version); err != nil {
		return core.Errorf(core.KindDisk, "connector %q is installed, but an older version of it could not be removed: %w", l.Name, err)
	}
	return nil
}

// follow notes the path of a program that is started where it lies.
func (i *Installer) follow(ctx context.Context, l Locked) (Locked, error) {
	sum, err := sumOf(l.Follows)
	if err != nil {
		return l, core.Errorf(core.KindNotFound, "the program cannot be read: %w", err)
	}
	about, err := i.describe(ctx, l.Follows, sum)
	if err != nil {
		return l, err
	}
	l.Name, l.Version = about.Name, about.Version
	l.Protocol, l.Features = wire.ProtocolVersion, knownFeatures(about.Features)
	if err := i.mayBeCalled(l.Name, l.Version); err != nil {
		return l, err
	}
	return l, i.put(l)
}

// bare is a version without the v before it.
func bare(version string) string { return strings.TrimPrefix(version, "v") }

// whole tells whether the block's program lies in its place unchanged.
func (i *Installer) whole(l Locked) bool { return i.Verify(l) == nil }

var errNoFile = errors.New("it is not a file")

// sized tells how large a file is, for people.
func sized(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KiB", (bytes+1023)>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
