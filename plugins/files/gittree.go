package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// tree is what a clone's commit says of its files, by path from its top.
type tree struct {
	blobs map[string]string    // git's hash of the content
	dates map[string]time.Time // of the commit that changed it last, where that is known
}

const (
	maxTreeFiles = 2_000_000 // of one commit
	maxCommits   = 5_000     // that are looked through for dates
)

const linkMode = "120000"

// inTree is the path of an opened folder's file from the top of its clone.
func (r root) inTree(actual string) string {
	if r.state == nil {
		return actual
	}
	return path.Join(r.state.below, actual)
}

// revision changes whenever a file does. Of a clone it is git's own hash, so that
// a clone made anew is no change.
func (r root) revision(e entry) string {
	if r.tree != nil {
		if blob := r.tree.blobs[r.inTree(e.actual)]; blob != "" {
			return blob
		}
	}
	return revision(e.info)
}

// treeOf reads the hashes of an opened clone's files; nil for a folder.
func (s *Source) treeOf(ctx context.Context, r root) (*tree, error) {
	if r.state == nil {
		return nil, nil
	}
	t := &tree{blobs: map[string]string{}, dates: map[string]time.Time{}}
	if r.state.Commit == "" {
		return t, nil
	}
	below := r.state.below + "/"
	err := s.eachFile(ctx, cloneFolder, r.state.Commit, func(f treeFile) error {
		if below == "./" || strings.HasPrefix(f.path, below) {
			t.blobs[f.path] = f.blob
		}
		return nil
	})
	return t, err
}

// treeFile is one line of ls-tree.
type treeFile struct {
	blob, path string
	size       int64 // bytes
}

func (s *Source) eachFile(ctx context.Context, folder, commit string, each func(treeFile) error) error {
	ctx, cancel := context.WithTimeout(ctx, localTimeout)
	defer cancel()
	return s.gitRecords(ctx, "reading the commit", func(line string) error {
		f, err := parseTreeFile(line)
		if err != nil {
			return err
		}
		return each(f)
	}, s.inClone(folder, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)...)
}

// parseTreeFile reads "mode type hash size<TAB>path". Submodules have no size.
func parseTreeFile(line string) (treeFile, error) {
	head, name, ok := strings.Cut(line, "\t")
	fields := strings.Fields(head)
	if !ok || len(fields) != 4 {
		return treeFile{}, fmt.Errorf("git printed %q where a file was expected", line)
	}
	f := treeFile{blob: fields[2], path: name}
	if fields[3] == "-" {
		return f, nil
	}
	var err error
	f.size, err = strconv.ParseInt(fields[3], 10, 64)
	return f, err
}

// measure refuses a commit that is small when packed and not when checked out.
func (s *Source) measure(ctx context.Context, folder string) error {
	var files int
	var bytes int64
	return s.eachFile(ctx, folder, tipRef, func(f treeFile) error {
		files++
		switch bytes += f.size; {
		case Size(bytes) > s.MaxClone:
			return s.tooLarge("unpacked")
		case files > maxTreeFiles:
			return sdk.Config("git", fmt.Errorf("the repository has more than %d files", maxTreeFiles))
		}
		return nil
	})
}

// changes are what differs between two commits.
type changes struct {
	paths map[string]bool // from the top of the clone
	all   bool            // something changed that other files hang on
}

// changesOf compares two commits.
func (s *Source) changesOf(ctx context.Context, from, to string) (*changes, error) {
	ctx, cancel := context.WithTimeout(ctx, localTimeout)
	defer cancel()
	c, head := &changes{paths: map[string]bool{}}, ""
	err := s.gitRecords(ctx, "comparing commits", func(part string) error {
		if head == "" {
			head = part
			return nil
		}
		c.add(head, part)
		head = ""
		return nil
	}, s.inClone(cloneFolder, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", from, to, "--")...)
	return c, err
}

// add takes ":mode mode hash hash status" and a path.
func (c *changes) add(head, name string) {
	c.paths[name] = true
	modes := strings.Fields(strings.TrimPrefix(head, ":"))
	c.all = c.all || path.Base(name) == ignoreFile || len(modes) < 2 || modes[0] == linkMode || modes[1] == linkMode
}

var errEnough = errors.New("all is known")

// readHistory finds when files were last changed: on the branch itself, so that
// what a merge brought has the merge's date. Commits at which the history was cut
// say nothing, because all files look new there.
func (s *Source) readHistory(ctx context.Context, commit string, h *history) (err error) {
	ctx, cancel := context.WithTimeout(ctx, localTimeout)
	defer cancel()
	if h.cut, err = s.cuts(); err != nil {
		return err
	}
	err = s.gitRecords(ctx, "reading the history", h.add, s.inClone(cloneFolder, "log", "-z", "--first-parent", "-m", "--no-renames",
		"--name-only", "--no-show-signature", "--format=%x01%H %ct", "-n", strconv.Itoa(maxCommits), commit, "--")...)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// cuts reads the commits whose parents were not fetched.
func (s *Source) cuts() (map[string]bool, error) {
	out := map[string]bool{}
	data, err := os.ReadFile(s.place(cloneFolder, repositoryFolder, "shallow"))
	if errors.Is(err, os.ErrNotExist) {
		return out, nil
	}
	for hash := range strings.FieldsSeq(string(data)) {
		out[hash] = true
	}
	return out, err
}

// history takes the parts that git log prints: a head for each commit, then its
// files, the first after a line break.
type history struct {
	tree   *tree
	cut    map[string]bool
	only   map[string]bool // paths that are looked for; nil means all
	wanted int             // how many these are
	since  int64           // Unix time up to which commits are not all there

	at   time.Time
	skip bool
}

func (h *history) add(part string) error {
	if hash, unix, ok := parseCommit(part); ok {
		h.at, h.skip = time.Unix(unix, 0).UTC(), h.cut[hash] || unix <= h.since
		return nil
	}
	name := strings.TrimPrefix(part, "\n")
	if _, known := h.tree.dates[name]; known || h.skip || h.tree.blobs[name] == "" || h.only != nil && !h.only[name] {
		return nil
	}
	h.tree.dates[name] = notLater(h.at, time.Now())
	if len(h.tree.dates) >= h.wanted {
		return errEnough
	}
	return nil
}

// parseCommit reads a commit's head, false for the name of a file.
func parseCommit(part string) (hash string, unix int64, ok bool) {
	head, ok := strings.CutPrefix(part, "\x01")
	if !ok {
		return "", 0, false
	}
	hash, seconds, _ := strings.Cut(strings.TrimSpace(head), " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	return hash, unix, err == nil && isHash(hash)
}

// notLater keeps a committer's wrong clock from making a file of tomorrow.
func notLater(at, now time.Time) time.Time {
	if at.After(now) {
		return now.Truncate(time.Second)
	}
	return at
}

// errElsewhere says that a file is left out because git keeps its content in
// another place.
var errElsewhere = errors.New("the content lies in Git LFS")

const lfsHead = "version https://git-lfs.github.com/spec/v1\n"

// elsewhere tells whether a file of a clone only points at its content.
func elsewhere(r root, e entry) bool {
	if r.state == nil || e.info == nil || e.info.Size() < int64(len(lfsHead)) || e.info.Size() > 1<<10 {
		return false
	}
	f, err := openFile(r, e.actual)
	if err != nil {
		return false
	}
	head, err := io.ReadAll(io.LimitReader(f, int64(len(lfsHead))))
	return errors.Join(err, f.Close()) == nil && string(head) == lfsHead
}
