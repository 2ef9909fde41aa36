package github

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// cursor is how far Sync got, by the ids of repositories.
type cursor struct {
	Settings string           `json:"s"` // other settings begin anew
	Repos    map[int64]*place `json:"r"`
}

// place is how far Sync got in one repository. It is kept short: 250 of them have
// to fit into a cursor.
type place struct {
	Name string `json:"n"`
	// Issues and pull requests, in the order of their last change by GitHub's clock.
	Items int64 `json:"i,omitempty"` // Unix time up to which all were sent
	Whole bool  `json:"w,omitempty"` // a pass got to its end since
	Retry []int `json:"t,omitempty"` // numbers that could not be read and may be next time
	// Discussions come newest first.
	Talks    int64  `json:"d,omitempty"` // Unix time up to which all were sent
	TalksTo  int64  `json:"e,omitempty"` // what Talks becomes at the end of the pass
	TalksAt  string `json:"f,omitempty"` // page of the pass
	Releases string `json:"l,omitempty"` // digest of what was sent
	// Files.
	Tree string `json:"c,omitempty"` // id of the tree that was sent
	Next string `json:"x,omitempty"` // id of the tree that is being sent, in the order of paths
	At   string `json:"p,omitempty"` // up to this path
}

// readCursor takes one that cannot be read as empty. One of other settings keeps
// no more than which repositories there were, so that what vanished is noticed: what
// is sent once more costs the host a comparison.
func (s *Source) readCursor(c sdk.Cursor) *cursor {
	out := &cursor{}
	if err := c.JSON(out); err != nil {
		out = &cursor{}
	}
	if out.Repos == nil {
		out.Repos = map[int64]*place{}
	}
	if now := s.fingerprint(); out.Settings != now {
		out.Settings = now
		for id, p := range out.Repos {
			out.Repos[id] = &place{Name: p.name()}
		}
	}
	return out
}

// name is for a cursor that somebody else wrote, too.
func (p *place) name() string {
	if p == nil {
		return ""
	}
	return p.Name
}

// fingerprint changes with the settings that decide what is sent.
func (s *Source) fingerprint() string {
	sum := sha256.New()
	enc := json.NewEncoder(sum)
	read := slices.Sorted(slices.Values(s.Read))
	_ = enc.Encode([]any{"1", read, s.Files, s.public(), s.places.api.String()}) // a hash takes everything
	return digest(sum.Sum(nil))
}

func digest(sum []byte) string { return base64.RawURLEncoding.EncodeToString(sum[:12]) }

// overlap is taken off where a finished pass ended: what GitHub lists lags a
// little behind what it stores.
const overlap = 2 * time.Minute

// since is from where on issues and pull requests are read.
func (p *place) since() time.Time {
	if p.Items == 0 {
		return time.Time{}
	}
	at := time.Unix(p.Items, 0).UTC()
	if p.Whole {
		at = at.Add(-overlap)
	}
	return at
}

// mostRetries is how many unreadable items are kept in mind for a repository.
const mostRetries = 20

// at returns the place of a repository, a new one where it is new, or is called
// otherwise: then addresses and folders of all its documents have changed.
func (c *cursor) at(r repo) *place {
	p := c.Repos[r.id]
	if p == nil || !strings.EqualFold(p.Name, r.full()) {
		p = &place{Name: r.full()}
		c.Repos[r.id] = p
	}
	return p
}
