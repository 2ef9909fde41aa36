package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// The clone lies in the source's own folder. Repository and checkout are apart,
// so that nothing in the checkout is taken for a setting of git.
const (
	cloneFolder      = "clone"
	freshFolder      = "clone.new" // until a first clone is whole
	repositoryFolder = "repository"
	checkoutFolder   = "checkout"
	stateFile        = "state.json"
	tipRef           = "refs/footnote/tip"
)

// Limits on commands; the slowest of them move the whole repository.
const (
	askTimeout   = 50 * time.Second
	fetchTimeout = 2 * time.Hour // silence ends a transfer long before
	localTimeout = 20 * time.Minute
)

// state is what a clone is of. It is written when the checkout is whole.
type state struct {
	URL    string `json:"url"`
	Wanted string `json:"wanted"` // the branch of the configuration
	Branch string `json:"branch"` // the branch that it is
	Commit string `json:"commit"` // "" for a repository without commits
	Since  int64  `json:"since"`  // Unix time of the oldest commit asked for
	Dirty  bool   `json:"dirty"`  // the checkout is being changed, or that was interrupted

	below string // the opened folder, from the top of the checkout; "." for the top
}

func (s *Source) place(parts ...string) string {
	return filepath.Join(append([]string{s.data}, parts...)...)
}

// lock waits until the clone may be read or, exclusively, changed. The lock ends
// with the process that holds it.
func (s *Source) lock(ctx context.Context, exclusive bool) (*flock.Flock, error) {
	held := flock.New(s.place("clone.lock"))
	try := held.TryRLockContext
	if exclusive {
		try = held.TryLockContext
	}
	if _, err := try(ctx, 50*time.Millisecond); err != nil {
		return nil, fmt.Errorf("the clone in %s cannot be locked: %w", s.data, cause(err))
	}
	return held, nil
}

// load reads the state of the clone in a folder, false if there is none of this
// repository and branch.
func (s *Source) load(folder string) (state, bool) {
	var st state
	data, err := os.ReadFile(s.place(folder, stateFile))
	if err != nil || json.Unmarshal(data, &st) != nil {
		return state{}, false
	}
	return st, st.URL == s.repo.url && st.Wanted == s.Branch
}

func (s *Source) save(folder string, st state) error {
	data, err := json.Marshal(st)
	if err != nil {
		return err
	}
	name := s.place(folder, stateFile)
	if err := os.WriteFile(name+".new", data, 0o600); err != nil {
		return fmt.Errorf("the state of the clone cannot be written: %w", err)
	}
	return os.Rename(name+".new", name)
}

// openClone opens the checkout for reading and makes it first where it is not
// there. It does not fetch.
func (s *Source) openClone(ctx context.Context) (root, error) {
	for range 3 {
		held, err := s.lock(ctx, false)
		if err != nil {
			return root{}, err
		}
		if st, ok := s.load(cloneFolder); ok && !st.Dirty {
			r, err := s.openCheckout(st)
			if err == nil {
				r.held = held
				return r, nil
			}
			return root{}, errors.Join(err, held.Close())
		}
		if err := held.Close(); err != nil {
			return root{}, err
		}
		if err := s.update(ctx); err != nil {
			return root{}, err
		}
	}
	return root{}, fmt.Errorf("the clone in %s is changed all the time by another process", s.data)
}

func (s *Source) openCheckout(st state) (root, error) {
	top, err := filepath.EvalSymlinks(s.place(cloneFolder, checkoutFolder))
	if err != nil {
		return root{}, fmt.Errorf("the clone cannot be read: %w", cause(err))
	}
	real, err := filepath.EvalSymlinks(filepath.Join(top, filepath.FromSlash(s.Subfolder)))
	switch {
	case st.Commit == "":
		real = top // nothing is there yet
	case errors.Is(err, fs.ErrNotExist):
		return root{}, sdk.Config("subfolder", fmt.Errorf("there is no folder %q in the branch %q", s.Subfolder, st.Branch))
	case err != nil:
		return root{}, fmt.Errorf("the folder %q of the repository cannot be read: %w", s.Subfolder, cause(err))
	}
	rel, err := filepath.Rel(top, real)
	if err != nil || !filepath.IsLocal(rel) {
		return root{}, sdk.Config("subfolder", fmt.Errorf("%q leads out of the repository", s.Subfolder))
	}
	r, err := openFolder(real)
	if err != nil {
		return root{}, sdk.Config("subfolder", err)
	}
	st.below = filepath.ToSlash(rel)
	r.state = &st
	return r, nil
}

// update brings the clone to the branch's newest commit. A clone that is broken
// is made anew beside the old one, which stays until that worked.
func (s *Source) update(ctx context.Context) error {
	held, err := s.lock(ctx, true)
	if err != nil {
		return err
	}
	return errors.Join(s.explained(s.updateLocked(ctx)), held.Close())
}

func (s *Source) updateLocked(ctx context.Context) error {
	tip, err := s.askTip(ctx)
	if err != nil {
		return err
	}
	st, ok := s.load(cloneFolder)
	if ok && st.Commit != "" && tip.commit != "" {
		err := s.advance(ctx, cloneFolder, st, tip)
		if err == nil || ctx.Err() != nil || ofRemote(err) {
			return err
		}
		s.log.Warn("the clone is broken and is made anew", "error", err)
	}
	if err := os.RemoveAll(s.place(freshFolder)); err != nil {
		return fmt.Errorf("what an interrupted clone left cannot be removed: %w", err)
	}
	if err := s.fresh(ctx, tip); err != nil {
		return errors.Join(err, os.RemoveAll(s.place(freshFolder)))
	}
	if err := os.RemoveAll(s.place(cloneFolder)); err != nil {
		return fmt.Errorf("the clone before cannot be removed: %w", err)
	}
	return os.Rename(s.place(freshFolder), s.place(cloneFolder))
}

// fresh makes a clone. One of a repository without commits is an empty folder.
func (s *Source) fresh(ctx context.Context, tip tip) error {
	if err := os.MkdirAll(s.place(freshFolder, checkoutFolder), 0o700); err != nil {
		return fmt.Errorf("there is no room for the clone: %w", err)
	}
	st := state{URL: s.repo.url, Wanted: s.Branch, Branch: tip.branch}
	if tip.commit == "" {
		return s.save(freshFolder, st)
	}
	if err := s.within(ctx, localTimeout, "preparing the clone", freshFolder, "init", "--quiet", "--template="); err != nil {
		return err
	}
	return s.advance(ctx, freshFolder, st, tip)
}

// advance fetches and checks out, also where the commit is the same: the
// checkout may have been touched.
func (s *Source) advance(ctx context.Context, folder string, st state, tip tip) error {
	if err := s.unlock(folder); err != nil {
		return err
	}
	if st.Commit != tip.commit || st.Dirty {
		st.Dirty = true
		if err := s.save(folder, st); err != nil {
			return err
		}
		var err error
		if st.Since, err = s.fetch(ctx, folder, st.Since, tip); err != nil {
			return err
		}
		if err := s.measure(ctx, folder); err != nil {
			return err
		}
	}
	if err := s.within(ctx, localTimeout, "checking out", folder, "reset", "--quiet", "--hard", tipRef); err != nil {
		return err
	}
	if err := s.within(ctx, localTimeout, "tidying the checkout", folder, "clean", "-ffdxq"); err != nil {
		return err
	}
	commit, err := s.line(ctx, folder, "rev-parse", "--verify", tipRef+"^{commit}")
	if err != nil {
		return err
	}
	st.Commit, st.Branch, st.Dirty = commit, tip.branch, false
	if err := s.save(folder, st); err != nil {
		return err
	}
	if err := s.within(ctx, localTimeout, "tidying the clone", folder, "gc", "--auto", "--quiet"); err != nil && ctx.Err() == nil {
		s.log.Warn("git could not tidy the clone", "error", err)
	}
	return nil
}

// unlock removes the locks that a killed git left: whoever holds the clone's own
// lock is alone.
func (s *Source) unlock(folder string) error {
	top := s.place(folder, repositoryFolder)
	err := filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && name == filepath.Join(top, "objects"):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".lock"):
			return os.Remove(name)
		}
		return nil
	})
	unfinished, _ := filepath.Glob(filepath.Join(top, "objects", "pack", "tmp_*")) // the pattern is valid
	for _, name := range unfinished {
		err = errors.Join(err, os.Remove(name))
	}
	if err != nil {
		return &gitTrouble{doing: "looking at the clone", said: cause(err).Error()} // made anew
	}
	return nil
}

// within runs git in the clone of a folder.
func (s *Source) within(ctx context.Context, limit time.Duration, doing, folder string, args ...string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %v", limit))
	defer cancel()
	return s.git(ctx, doing, nil, s.inClone(folder, args...)...)
}

func (s *Source) inClone(folder string, args ...string) []string {
	return append([]string{"--git-dir=" + s.place(folder, repositoryFolder), "--work-tree=" + s.place(folder, checkoutFolder)}, args...)
}

// line runs git in the clone of a folder and returns the one line it prints.
func (s *Source) line(ctx context.Context, folder string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, localTimeout)
	defer cancel()
	var out strings.Builder
	err := s.git(ctx, "looking at the clone", &out, s.inClone(folder, args...)...)
	return strings.TrimSpace(out.String()), err
}
