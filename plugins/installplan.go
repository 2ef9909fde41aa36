package plugins

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Plan finds out what a reference is and what installing it means. It reads
// files, the lock and manifests, and runs nothing.
func (i *Installer) Plan(ctx context.Context, w Wanted) (*Plan, error) {
	w.SHA256 = strings.ToLower(strings.TrimPrefix(w.SHA256, "sha256:"))
	if w.SHA256 != "" && !goodSum.MatchString(w.SHA256) {
		return nil, core.Errorf(core.KindUsage, "--sha256: %q is not a SHA-256 sum, which has 64 hexadecimal digits", w.SHA256)
	}
	isGo, isURL := strings.HasPrefix(w.Ref, "go:"), strings.Contains(w.Ref, "://")
	switch {
	case w.Follow && (isGo || isURL):
		return nil, core.Errorf(core.KindUsage, "--dev follows a program on this machine: name its file")
	case isGo:
		return i.planGo(strings.TrimPrefix(w.Ref, "go:"), w)
	case isURL:
		return i.planURL(ctx, w)
	}
	path := w.Ref
	if !filepath.IsAbs(path) {
		path = filepath.Join(i.Dir, path)
	}
	info, err := os.Stat(path)
	named := !strings.ContainsRune(w.Ref, filepath.Separator) && !w.Follow
	if named && (err != nil || info.IsDir()) {
		if l, err := i.Find(w.Ref); err == nil {
			return i.planLocked(l)
		} else if core.KindOf(err) != core.KindNotFound {
			return nil, err
		}
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, core.Errorf(core.KindNotFound,
			"there is no file %s, and no connector of that name in the lock. Give a program, go:PACKAGE@VERSION, or the address of an archive or of a manifest", path)
	case err != nil:
		return nil, core.Errorf(core.KindNotFound, "the connector cannot be read: %w", err)
	case info.IsDir():
		return nil, core.Errorf(core.KindUsage, "%s is a folder: build the program in it and install that, such as with: go build -o bin/ . && footnote plugin install bin/NAME", path)
	case filepath.Ext(path) == ".json":
		return i.planManifestFile(path, w)
	}
	return i.planLocal(path, info, w)
}

// planLocal copies a program that lies on this machine, or follows it.
func (i *Installer) planLocal(path string, info os.FileInfo, w Wanted) (*Plan, error) {
	if !info.Mode().IsRegular() {
		return nil, core.Wrap(core.KindInvalid, errNoFile, path+" is not a program")
	}
	if info.Mode()&0o111 == 0 {
		return nil, core.Errorf(core.KindInvalid, "%s is not a program: chmod +x makes a script one", path)
	}
	if info.Size() > maxProgram {
		return nil, core.Errorf(core.KindTooLarge, "%s is larger than %s", path, sized(maxProgram))
	}
	sum, err := sumOf(path)
	if err != nil {
		return nil, core.Errorf(core.KindDisk, "the program cannot be read: %w", err)
	}
	if w.SHA256 != "" && sum != w.SHA256 {
		return nil, core.Errorf(core.KindConfig, "%s has SHA-256 %s and should have %s. Nothing was installed", path, sum, w.SHA256)
	}
	p := &Plan{block: Locked{Source: SourceLocal}, want: sum}
	if w.Follow {
		p.block.Follows = path
		p.Lines = []string{
			"the program " + path + ", wherever a source uses it and whatever the file has become by then",
		}
		return p, nil
	}
	p.Lines = []string{"a copy of the program " + path + " (" + sized(info.Size()) + ", SHA-256 " + sum + ")"}
	p.fetch = func(ctx context.Context, tmp string) (string, error) { return copyProgram(ctx, path, tmp) }
	if l, ok := i.installed(sum); ok {
		p.block, p.Present = l, true
	}
	return p, nil
}

// installed finds a local connector whose program has the sum.
func (i *Installer) installed(sum string) (Locked, bool) {
	all, err := i.All()
	if err != nil {
		return Locked{}, false
	}
	for _, l := range all {
		if l.Source == SourceLocal && l.Follows == "" && l.Programs[i.platform()] == sum && i.whole(l) {
			return l, true
		}
	}
	return Locked{}, false
}

// planLocked brings what the lock says onto this machine, and nothing else.
func (i *Installer) planLocked(l Locked) (*Plan, error) {
	p := &Plan{block: l, want: l.Programs[i.platform()], frozen: true}
	switch d, ok := l.Downloads[i.platform()]; {
	case i.whole(l):
		p.Present = true
		return p, nil
	case l.Follows != "":
		return nil, i.Verify(l)
	case l.Module.Path != "":
		return i.goPlan(p, strings.TrimPrefix(l.Source, "go:"))
	case ok:
		p.strict = true
		return i.downloadPlan(p, d), nil
	case l.Source == SourceLocal:
		return nil, core.Errorf(core.KindUsage,
			"connector %q was installed from a file, which the lock cannot bring here: footnote plugin install FILE", l.Name)
	}
	return nil, i.noPlatform(l)
}

// copyProgram copies a file into tmp.
func copyProgram(ctx context.Context, path, tmp string) (string, error) {
	from, err := os.Open(path)
	if err != nil {
		return "", core.Errorf(core.KindDisk, "the program cannot be read: %w", err)
	}
	defer from.Close()
	to := filepath.Join(tmp, "program")
	if err := writeProgram(ctx, to, from); err != nil {
		return "", err
	}
	return to, nil
}

// writeProgram writes what may become a program: at most maxProgram, for this user
// alone, and on the disk before anybody relies on it.
func writeProgram(ctx context.Context, path string, from io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return core.Errorf(core.KindDisk, "the new program cannot be written: %w", err)
	}
	n, err := io.Copy(f, io.LimitReader(&readerUntil{ctx: ctx, from: from}, maxProgram+1))
	if err == nil && n > maxProgram {
		err = core.Errorf(core.KindTooLarge, "the program is larger than %s", sized(maxProgram))
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		if ctx.Err() != nil {
			return stopped(ctx, "writing the new program")
		}
		if core.KindOf(err) == core.KindInternal {
			return core.Errorf(core.KindDisk, "the new program cannot be written: %w", err)
		}
		return err
	}
	return nil
}

// readerUntil stops reading when the context ends.
type readerUntil struct {
	ctx  context.Context
	from io.Reader
}

// Read reads, unless the context has ended.
func (r *readerUntil) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}
