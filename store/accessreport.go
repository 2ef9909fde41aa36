package store

import (
	"context"
	"database/sql"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// AccessReport is what the owner should know about who can read what.
type AccessReport struct {
	Unread []UnreadDocuments // by source
	Stale  []StaleAccess     // by source
	Groups []UnknownGroup    // by name
}

// UnreadDocuments are documents of a source without any reader.
type UnreadDocuments struct {
	Source    string
	Documents int
	Examples  []string // the first ids, at most 10
}

// StaleAccess is a source that said too long ago who may read its documents.
type StaleAccess struct {
	Source  string
	Checked time.Time     // when it last told of all; zero if never
	MaxAge  time.Duration // how long that counts
	Closed  int           // documents that nobody reads for that reason
	Untold  int           // of all that are stale, those of which it fails to tell one by one
}

// UnknownGroup is a group that may read documents and of which no source ever
// told who is in it.
type UnknownGroup struct {
	Group     core.Principal
	Documents int
}

const unreadExamples = 10

// AccessReport tells what is wrong with access at the given time, all of one
// instant. It reads every document.
func (s *Store) AccessReport(ctx context.Context, now time.Time) (AccessReport, error) {
	c := accessCheck{now: now, unread: map[string]*UnreadDocuments{}, stale: map[string]*StaleAccess{}, groups: map[core.Principal]int{}}
	err := s.read(ctx, func(tx *session) error {
		documents, err := tx.QueryContext(ctx, `SELECT d.n, d.id, d.source, d.host_access, d.untold, s.access_checked, s.max_age
			FROM documents d JOIN sources s ON s.name = d.source ORDER BY d.n`)
		if err != nil {
			return err
		}
		defer documents.Close()
		access, err := tx.QueryContext(ctx, `SELECT document, principal FROM access ORDER BY document, principal`)
		if err != nil {
			return err
		}
		defer access.Close()
		if err := c.addAll(documents, &grants{rows: access, names: map[string]core.Principal{}}); err != nil {
			return err
		}
		return c.dropKnown(ctx, tx)
	})
	if err != nil {
		return AccessReport{}, err
	}
	return c.report(), nil
}

// accessCheck gathers a report.
type accessCheck struct {
	now    time.Time
	unread map[string]*UnreadDocuments
	stale  map[string]*StaleAccess
	groups map[core.Principal]int
}

func (c *accessCheck) addAll(documents *sql.Rows, access *grants) error {
	return scanAll(documents, nil, func(rows *sql.Rows) error {
		var n int64
		var id, source string
		var how told
		if err := rows.Scan(&n, &id, &source, &how.host, &how.untold, &how.checked, &how.maxAge); err != nil {
			return err
		}
		readers, err := access.of(n)
		if err != nil {
			return err
		}
		c.add(id, source, readers, how)
		return nil
	})
}

func (c *accessCheck) add(id, source string, access core.Access, how told) {
	if len(access) == 0 {
		u := c.unread[source]
		if u == nil {
			u = &UnreadDocuments{Source: source}
			c.unread[source] = u
		}
		if u.Documents++; len(u.Examples) < unreadExamples {
			u.Examples = append(u.Examples, id)
		}
		return
	}
	for _, p := range access {
		if strings.HasPrefix(string(p), "group:") {
			c.groups[p]++
		}
	}
	if !how.stale(c.now) {
		return
	}
	st := c.stale[source]
	if st == nil {
		st = &StaleAccess{Source: source, Checked: fromMicros(how.checked), MaxAge: ageLimit(how.maxAge)}
		c.stale[source] = st
	}
	if len(how.effective(access, c.now)) == 0 {
		st.Closed++
	}
	if how.untold.Valid {
		st.Untold++
	}
}

// dropKnown leaves the groups that nobody told of.
func (c *accessCheck) dropKnown(ctx context.Context, tx *session) error {
	rows, err := tx.QueryContext(ctx, `SELECT principal FROM groups`)
	return scanAll(rows, err, func(rows *sql.Rows) error {
		var p core.Principal
		err := rows.Scan(&p)
		delete(c.groups, p)
		return err
	})
}

func (c *accessCheck) report() AccessReport {
	var out AccessReport
	for _, u := range c.unread {
		out.Unread = append(out.Unread, *u)
	}
	for _, st := range c.stale {
		out.Stale = append(out.Stale, *st)
	}
	for p, n := range c.groups {
		out.Groups = append(out.Groups, UnknownGroup{Group: p, Documents: n})
	}
	sort.Slice(out.Unread, func(i, j int) bool { return out.Unread[i].Source < out.Unread[j].Source })
	sort.Slice(out.Stale, func(i, j int) bool { return out.Stale[i].Source < out.Stale[j].Source })
	slices.SortFunc(out.Groups, func(a, b UnknownGroup) int { return strings.Compare(string(a.Group), string(b.Group)) })
	return out
}
