package store

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Memberships is the groups that a person is in, directly or by other groups.
type Memberships struct {
	Groups []core.Principal // sorted
	Stale  []core.Principal // those that are reached only by way of groups that were not told for too long
}

// Memberships finds the groups of the person with the addresses at the time. A
// way into a group counts only if every group on it, and that one itself, is of
// a source whose groups are fresh.
func (s *Store) Memberships(ctx context.Context, emails []string, now time.Time) (Memberships, error) {
	people, err := asJSON(usersOf(emails))
	if err != nil {
		return Memberships{}, err
	}
	// Groups age without a change of the ledger, so that which are fresh belongs to
	// what is asked.
	states, err := recallOr(ctx, s, ofGroups, "states", func(tx *session) ([]core.GroupState, error) { return groupStates(ctx, tx) })
	if err != nil {
		return Memberships{}, err
	}
	fresh, err := freshSources(states, now)
	if err != nil {
		return Memberships{}, err
	}
	return s.held(ctx, people, fresh, now)
}

// errPassing is about an answer that is right now and not kept.
var errPassing = core.Errorf(core.KindInternal, "The groups changed while they were asked for.")

// held is Memberships for who knows which sources are fresh. Where those became others
// since, the answer is not that of the next one who knows the same.
func (s *Store) held(ctx context.Context, people, fresh string, now time.Time) (Memberships, error) {
	out, err := recallOr(ctx, s, ofGroups, "held\x00"+people+fresh, func(tx *session) (Memberships, error) {
		states, err := groupStates(ctx, tx)
		if err != nil {
			return Memberships{}, err
		}
		newest, err := freshSources(states, now)
		if err != nil {
			return Memberships{}, err
		}
		out, err := memberships(ctx, tx, people, newest)
		if err == nil && newest != fresh {
			err = errPassing
		}
		return out, err
	})
	if errors.Is(err, errPassing) {
		err = nil
	}
	out.Groups, out.Stale = slices.Clone(out.Groups), slices.Clone(out.Stale)
	return out, err
}

func memberships(ctx context.Context, tx *session, people, fresh string) (Memberships, error) {
	var out Memberships
	// UNION drops what was reached before, so that circles end; each group is
	// walked at most twice, once by a fresh way and once by a stale one.
	rows, err := tx.QueryContext(ctx, `WITH RECURSIVE
		held (principal, fresh) AS (
			SELECT m.principal, m.source IN (SELECT value FROM json_each(?2))
			FROM json_each(?1) p CROSS JOIN members m ON m.member = p.value
			UNION
			SELECT m.principal, h.fresh AND m.source IN (SELECT value FROM json_each(?2))
			FROM held h CROSS JOIN members m ON m.member = h.principal)
		SELECT principal, max(fresh) FROM held GROUP BY principal ORDER BY principal`, people, fresh)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var p core.Principal
		var isFresh bool
		err := rows.Scan(&p, &isFresh)
		if isFresh {
			out.Groups = append(out.Groups, p)
		} else {
			out.Stale = append(out.Stale, p)
		}
		return err
	})
	return out, err
}

// PathTo is one of the shortest ways by which the person is in the group, the
// group itself last, whether or not the groups on it are fresh; nil if there is
// none.
func (s *Store) PathTo(ctx context.Context, email string, group core.Principal) ([]core.Principal, error) {
	goal := core.Principal(foldGroup(group))
	var path []core.Principal
	err := s.read(ctx, func(tx *session) error {
		cameFrom := map[core.Principal]core.Principal{}
		for level := usersOf([]string{email}); len(level) > 0; {
			next, err := stepUp(ctx, tx, level, cameFrom)
			if err != nil {
				return err
			}
			if slices.Contains(next, goal) {
				path = walkBack(cameFrom, goal)
				return nil
			}
			level = next
		}
		return nil
	})
	return path, err
}

// stepUp finds the groups that the members are in and that were not found
// before, and notes by which member.
func stepUp(ctx context.Context, tx *session, level []core.Principal, cameFrom map[core.Principal]core.Principal) ([]core.Principal, error) {
	members, err := asJSON(level)
	if err != nil {
		return nil, err
	}
	var next []core.Principal
	rows, err := tx.QueryContext(ctx, `SELECT m.principal, m.member FROM json_each(?) l
		CROSS JOIN members m ON m.member = l.value ORDER BY m.principal, m.member`, members)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var group, member core.Principal
		err := rows.Scan(&group, &member)
		if _, known := cameFrom[group]; !known {
			cameFrom[group] = member
			next = append(next, group)
		}
		return err
	})
	return next, err
}

func walkBack(cameFrom map[core.Principal]core.Principal, goal core.Principal) []core.Principal {
	var path []core.Principal
	for p := goal; isGroup(p); p = cameFrom[p] {
		path = append(path, p)
	}
	slices.Reverse(path)
	return path
}

// GroupStates tells how well the groups of each source are known, by name. The
// groups of footnote.yaml have no limit.
func (s *Store) GroupStates(ctx context.Context) ([]core.GroupState, error) {
	var out []core.GroupState
	err := s.read(ctx, func(tx *session) (err error) {
		out, err = groupStates(ctx, tx)
		return err
	})
	return out, err
}

func groupStates(ctx context.Context, tx *session) ([]core.GroupState, error) {
	var out []core.GroupState
	rows, err := tx.QueryContext(ctx, `SELECT source, checked, max_age FROM group_sources ORDER BY source`)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var g core.GroupState
		var checked sql.NullInt64
		err := rows.Scan(&g.Source, &checked, &g.MaxAge)
		g.Checked = fromMicros(checked)
		switch {
		case g.Source == core.ConfigGroups:
			g.MaxAge = math.MaxInt64
		case g.MaxAge == 0:
			g.MaxAge = core.DefaultMaxAge
		}
		out = append(out, g)
		return err
	})
	return out, err
}

// freshSources names the sources whose groups count, as a JSON list.
func freshSources(states []core.GroupState, now time.Time) (string, error) {
	fresh := []string{core.ConfigGroups}
	for _, g := range states {
		if g.Fresh(now) {
			fresh = append(fresh, g.Source)
		}
	}
	return asJSON(fresh)
}

// Group finds a group with its direct members; the error is of kind not_found if
// there is none.
func (s *Store) Group(ctx context.Context, group core.Principal) (core.GroupMembers, error) {
	found, err := s.groups(ctx, `WHERE g.principal = ?`, foldGroup(group))
	if err == nil && len(found) == 0 {
		err = noGroup(group)
	}
	if err != nil {
		return core.GroupMembers{}, err
	}
	return found[0], nil
}

// Groups lists the groups of a source with their direct members, by folded name.
func (s *Store) Groups(ctx context.Context, source string) ([]core.GroupMembers, error) {
	return s.groups(ctx, `WHERE g.source = ?`, source)
}

func (s *Store) groups(ctx context.Context, where string, args ...any) ([]core.GroupMembers, error) {
	var out []core.GroupMembers
	err := s.read(ctx, func(tx *session) error {
		rows, err := tx.QueryContext(ctx, `SELECT g.principal, g.source, g.name, coalesce(m.member, '')
			FROM groups g LEFT JOIN members m ON m.principal = g.principal `+where+` ORDER BY g.principal, m.member`, args...)
		var last string
		return scanAll(rows, err, func(rows *sql.Rows) error {
			var g core.GroupMembers
			var principal, member string
			if err := rows.Scan(&principal, &g.Source, &g.Name, &member); err != nil {
				return err
			}
			if principal != last {
				last, out = principal, append(out, g)
			}
			addMember(&out[len(out)-1], member)
			return nil
		})
	})
	return out, err
}

func addMember(g *core.GroupMembers, member string) {
	if email, ok := strings.CutPrefix(member, "user:"); ok {
		g.Users = append(g.Users, email)
	} else if member != "" {
		g.Groups = append(g.Groups, core.Principal(member))
	}
}

// usersOf names people as the members table does.
func usersOf(emails []string) []core.Principal {
	out := []core.Principal{}
	for _, email := range emails {
		if email = foldEmail(email); email != "" {
			out = append(out, core.User(email))
		}
	}
	return out
}
