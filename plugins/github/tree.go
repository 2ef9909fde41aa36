package github

import (
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-github/v80/github"
)

// blob is a file of a tree.
type blob struct {
	sha  string
	size int // bytes
}

// head is the id of the default branch's tree, "" for a repository without a
// commit.
func (s *Source) head(ctx context.Context, r repo) (string, error) {
	// The library's own call hides what GitHub says of a refusal.
	req, err := s.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/branches/%s", r.owner, r.name, url.PathEscape(r.branch)), nil)
	if err != nil {
		return "", err
	}
	var b github.Branch
	if resp, err := s.api.Do(ctx, req, &b); err != nil {
		if r.empty && resp != nil && (resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusConflict) {
			return "", nil
		}
		return "", explain("the branch "+r.branch+" of "+r.full(), err)
	}
	tree := b.GetCommit().GetCommit().GetTree().GetSHA()
	if tree == "" {
		return "", explain("the branch "+r.branch+" of "+r.full(), errOdd)
	}
	return tree, nil
}

// tree lists the files of a tree that are wanted, by path.
func (s *Source) tree(ctx context.Context, r repo, sha string) (map[string]blob, error) {
	out := map[string]blob{}
	if sha == "" {
		return out, nil
	}
	whole, _, err := s.api.Git.GetTree(ctx, r.owner, r.name, sha, true)
	if err != nil {
		return nil, explain("the files of "+r.full(), err)
	}
	if whole.GetSHA() == "" {
		return nil, explain("the files of "+r.full(), errOdd)
	}
	if !whole.GetTruncated() {
		s.take(out, whole, "")
		return out, nil
	}
	return out, s.walk(ctx, r, sha, "", out)
}

// walk reads a tree folder by folder, because GitHub gives out no more than
// 100,000 entries at once.
func (s *Source) walk(ctx context.Context, r repo, sha, dir string, out map[string]blob) error {
	t, _, err := s.api.Git.GetTree(ctx, r.owner, r.name, sha, false)
	if err != nil {
		return explain("the folder "+dir+" of "+r.full(), err)
	}
	if t.GetSHA() == "" || t.GetTruncated() {
		return explain("the folder "+dir+" of "+r.full(), errOdd)
	}
	s.take(out, t, dir)
	for _, e := range t.Entries {
		if e.GetType() == "tree" {
			if err := s.walk(ctx, r, e.GetSHA(), path.Join(dir, e.GetPath()), out); err != nil {
				return err
			}
		}
	}
	return nil
}

// take keeps the regular files that a pattern matches; links and submodules hold
// no text of their own.
func (s *Source) take(out map[string]blob, t *github.Tree, dir string) {
	for _, e := range t.Entries {
		name := path.Join(dir, e.GetPath())
		if e.GetType() == "blob" && e.GetMode() != "120000" && s.wanted(name) {
			out[name] = blob{sha: e.GetSHA(), size: e.GetSize()}
		}
	}
}

func (s *Source) wanted(name string) bool {
	return slices.ContainsFunc(s.Files, func(glob string) bool {
		return doublestar.MatchUnvalidated(strings.TrimPrefix(glob, "/"), name)
	})
}

// decodeBlob makes sure that a text is the one that its id stands for.
func decodeBlob(b *github.Blob, sha string) ([]byte, error) {
	text := []byte(b.GetContent())
	if b.GetEncoding() == "base64" {
		var err error
		if text, err = base64.StdEncoding.DecodeString(strings.ReplaceAll(b.GetContent(), "\n", "")); err != nil {
			return nil, fmt.Errorf("the file's content is not what it says: %w", err)
		}
	} else if b.GetEncoding() != "utf-8" {
		return nil, errOdd
	}
	if len(sha) != 2*sha1.Size {
		return text, nil // a repository with another hash
	}
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(text)), text...))
	if hex.EncodeToString(sum[:]) != sha {
		return nil, errors.New("the file arrived damaged: its content does not fit its id")
	}
	return text, nil
}
