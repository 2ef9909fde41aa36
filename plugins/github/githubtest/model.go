// Package githubtest is a GitHub of our own on loopback, for tests: the part of
// the REST API and of GraphQL that the connector uses, with the shapes, headers and
// refusals that GitHub documents.
package githubtest

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// User is an account. Email is the one that it shows, Verified those in domains of
// its organisations, SignOn the name by which single sign-on knows it.
type User struct {
	Login, Email, SignOn string
	Verified             []string
	Bot                  bool
}

// Token is what a request may carry.
type Token struct {
	Login  string
	Scopes string // of a classic token, such as "repo, read:org"
	// Lacks are kinds that a fine-grained token does not open: issues, contents,
	// discussions, collaborators, saml.
	Lacks   []string
	App     bool // of an installation: it sees all repositories of its owner
	Revoked bool
}

// Org is an organisation with its members.
type Org struct {
	ID      int64
	Login   string
	Members []string
}

// Repository is one repository. A change of any field holds from the next request
// on; make it inside Server.Change.
type Repository struct {
	ID            int64
	Owner, Name   string
	Former        []string // full names that redirect here
	Visibility    string
	Archived      bool
	Gone          bool
	Collaborators []string // logins of all who may read, however they came by it
	Items         []*Item
	Releases      []*Release
	Talks         []*Talk
	Files         map[string]string // of the default branch
	Truncated     bool              // trees are too large to be given out at once

	trees map[string]map[string]string // every state that a commit had, by the tree's id
}

// Item is an issue or a pull request.
type Item struct {
	Number              int
	Pull, Merged        bool
	Title, Body, Author string
	State               string
	Labels              []string
	Created, Updated    time.Time
	Comments            []Remark
	Reviews             []Remark
	CodeComments        []Remark
	Moved               string // full name and number of where it is now, such as acme/other/7
}

// Remark is a comment or a review.
type Remark struct {
	ID           int64
	Author, Body string
	State        string // of a review
	Path         string // of a comment on code
	At           time.Time
	Replies      []Remark
	Answer       bool
}

// Release is a release.
type Release struct {
	ID                      int64
	Tag, Name, Body, Author string
	Draft, Prerelease       bool
	At                      time.Time
}

// Talk is a discussion.
type Talk struct {
	Number                        int
	Title, Body, Author, Category string
	Closed                        bool
	Created, Updated              time.Time
	Comments                      []Remark
}

// Full is the name with the owner's.
func (r *Repository) Full() string { return r.Owner + "/" + r.Name }

// Add puts an item at the end, with the number after the last one's.
func (r *Repository) Add(i Item) *Item {
	for _, old := range r.Items {
		i.Number = max(i.Number, old.Number)
	}
	i.Number++
	if i.State == "" {
		i.State = "open"
	}
	r.Items = append(r.Items, &i)
	return &i
}

// Delete removes an item as an administrator would.
func (r *Repository) Delete(number int) {
	r.Items = slices.DeleteFunc(r.Items, func(i *Item) bool { return i.Number == number })
}

// tree is the id of the files of now; what was once a tree can be asked for later.
func (r *Repository) tree() string {
	id := hash("tree", listing(r.Files))
	if r.trees == nil {
		r.trees = map[string]map[string]string{}
	}
	if _, ok := r.trees[id]; !ok {
		kept := make(map[string]string, len(r.Files))
		for name, text := range r.Files {
			kept[name] = text
		}
		r.trees[id] = kept
	}
	return id
}

// folder finds a tree by its id: a whole one, or a folder of the present one.
func (r *Repository) folder(id string) (map[string]string, bool) {
	if files, ok := r.trees[id]; ok {
		return files, true
	}
	for dir := range folders(r.Files) {
		if inside := below(r.Files, dir); hash("tree", listing(inside)) == id {
			return inside, true
		}
	}
	return nil, false
}

func folders(files map[string]string) map[string]bool {
	out := map[string]bool{}
	for name := range files {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			out[dir] = true
		}
	}
	return out
}

func below(files map[string]string, dir string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		if rest, ok := strings.CutPrefix(name, dir+"/"); ok {
			out[rest] = text
		}
	}
	return out
}

func listing(files map[string]string) string {
	var lines []string
	for name, text := range files {
		lines = append(lines, name+" "+hash("blob", text))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func hash(kind, text string) string {
	sum := sha1.Sum(fmt.Appendf(nil, "%s %d\x00%s", kind, len(text), text))
	return hex.EncodeToString(sum[:])
}
