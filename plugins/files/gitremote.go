package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// tip is where a branch stands on its host. Without a commit the repository is
// empty.
type tip struct{ branch, ref, commit string }

// askTip asks the host for the branch.
func (s *Source) askTip(ctx context.Context) (tip, error) {
	if err := s.checkVersion(ctx); err != nil {
		return tip{}, err
	}
	// A repository may have thousands of branches: all of them are asked for only
	// where the one is not found.
	wanted := "HEAD"
	if s.Branch != "" {
		wanted = "refs/heads/" + s.Branch
	}
	var found tip
	for _, pattern := range [][]string{{wanted}, {"HEAD", "refs/heads/*"}} {
		out, err := s.ask(ctx, append([]string{"ls-remote", "--quiet", "--symref", "--", s.repo.url}, pattern...)...)
		if err != nil {
			return tip{}, err
		}
		if found, err = pickTip(out, s.Branch); err == nil && found.commit != "" || len(pattern) > 1 {
			return found, err
		}
	}
	return found, nil
}

func (s *Source) ask(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, askTimeout, sdk.Busy(0, fmt.Errorf("%s did not answer within %v", s.repo.url, askTimeout)))
	defer cancel()
	out := &capped{}
	err := s.git(ctx, "asking for the branch", out, args...)
	return out.String(), err
}

// capped refuses more than 16 MiB of answer: some 200,000 branches.
type capped struct{ strings.Builder }

func (c *capped) Write(p []byte) (int, error) {
	if c.Len()+len(p) > 16<<20 {
		return 0, errors.New("the host lists too many branches")
	}
	return c.Builder.Write(p)
}

// pickTip reads what ls-remote prints. Without a wanted branch it is the one that
// the host's HEAD names.
func pickTip(out, wanted string) (tip, error) {
	var branches []string
	commits, head := map[string]string{}, ""
	for line := range strings.Lines(out) {
		value, ref, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if !ok {
			continue
		}
		if target, symbolic := strings.CutPrefix(value, "ref: "); symbolic {
			if ref != "HEAD" {
				continue
			}
			head = strings.TrimPrefix(target, "refs/heads/")
			continue
		}
		commits[ref] = value
		if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
			branches = append(branches, name)
		}
	}
	switch {
	case wanted != "" && commits["refs/heads/"+wanted] != "":
		return tip{wanted, "refs/heads/" + wanted, commits["refs/heads/"+wanted]}, nil
	case len(commits) == 0:
		return tip{branch: wanted}, nil
	case wanted != "":
		return tip{}, sdk.Config("branch", fmt.Errorf("there is no branch %q; there are: %s", wanted, fewOf(branches)))
	case commits["HEAD"] == "":
		return tip{}, sdk.Config("branch", fmt.Errorf("the repository does not say which branch is its own; write one of: %s", fewOf(branches)))
	case head == "":
		return tip{"HEAD", "HEAD", commits["HEAD"]}, nil
	}
	return tip{head, "refs/heads/" + head, commits["HEAD"]}, nil
}

func fewOf(names []string) string {
	if more := len(names) - 10; more > 0 {
		return strings.Join(names[:10], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

// checkVersion makes sure that git takes settings from the environment: an older
// one would run hooks and send no token.
func (s *Source) checkVersion(ctx context.Context) error {
	out, err := s.ask(ctx, "version")
	if err != nil {
		return err
	}
	if !recentGit(out) {
		return sdk.Config("git", fmt.Errorf("the program git on this machine is too old (%s): version 2.31 or newer is needed", strings.TrimSpace(out)))
	}
	return nil
}

func recentGit(version string) bool {
	words := strings.Fields(version)
	if len(words) < 3 {
		return false
	}
	parts := strings.Split(words[2], ".")
	major, err := strconv.Atoi(parts[0])
	if err != nil || len(parts) < 2 {
		return false
	}
	minor, err := strconv.Atoi(parts[1])
	return err == nil && (major > 2 || major == 2 && minor >= 31)
}

// checkRemote is Check for a repository. It leaves the clone alone.
func (s *Source) checkRemote(ctx context.Context) error {
	tip, err := s.askTip(ctx)
	if err != nil {
		return s.explained(err)
	}
	var warnings []error
	if tip.commit == "" {
		warnings = append(warnings, sdk.Warning(fmt.Sprintf("the repository %s has no commits yet", s.repo.url)))
	}
	if s.base == nil && s.webLink("b", "p") == "" {
		warnings = append(warnings, sdk.Warning("it is not known how the host shows a file, so footnotes lead to files on this machine: set url_template"))
	}
	return errors.Join(warnings...)
}

// fetch brings the branch into the clone and returns how far back its commits
// go. The first time that is the newest alone; later ones are kept, because
// they tell when a file was changed.
func (s *Source) fetch(ctx context.Context, folder string, since int64, tip tip) (int64, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, fetchTimeout, fmt.Errorf("it took longer than %v", fetchTimeout))
	defer cancel()
	ctx, full := context.WithCancelCause(ctx)
	defer full(nil)
	var watch sync.WaitGroup
	watched, done := context.WithCancel(ctx)
	watch.Go(func() { s.watchSize(watched, folder, full) })
	defer watch.Wait()
	defer done()
	if since > 0 {
		err := s.fetchFrom(ctx, folder, tip, "--shallow-since="+time.Unix(since, 0).UTC().Format(time.RFC3339))
		if err == nil || ctx.Err() != nil {
			return since, err
		}
		// Not every host can do that, and a branch may have been set back behind it.
	}
	if err := s.fetchFrom(ctx, folder, tip, "--depth=1"); err != nil {
		return 0, err
	}
	text, err := s.line(ctx, folder, "log", "-1", "--format=%ct", tipRef)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

func (s *Source) fetchFrom(ctx context.Context, folder string, tip tip, depth string) error {
	return s.git(ctx, "fetching the branch", nil, s.inClone(folder, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules",
		"--no-write-fetch-head", "--no-auto-maintenance", "--update-shallow", depth, "--", s.repo.url, "+"+tip.ref+":"+tipRef)...)
}

// watchSize stops a transfer that grows over the limit.
func (s *Source) watchSize(ctx context.Context, folder string, stop context.CancelCauseFunc) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if size := Size(packed(s.place(folder, repositoryFolder, "objects"))); size > s.MaxClone {
			stop(s.tooLarge("packed"))
			return
		}
	}
}

func (s *Source) tooLarge(how string) error {
	return sdk.Config("max_clone", fmt.Errorf("the repository takes more than %s %s: raise the limit, or read another one", s.MaxClone, how))
}

// packed is how many bytes a clone's objects take.
func packed(dir string) int64 {
	var sum int64
	// What disappears meanwhile does not count.
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
