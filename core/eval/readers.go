package eval

import (
	"context"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/footnote-bot/footnote/core"
)

// Changer is an engine whose documents can be changed, to see that nothing leaks
// afterwards.
type Changer interface {
	// Change gives documents another access and removes others.
	Change(ctx context.Context, access map[string]core.Access, removed []string) error
}

// Scanner is an engine that can look at every document, to see what the filter
// inside a search costs.
type Scanner interface {
	// Scan ranks all documents that match, whoever may read them.
	Scan(ctx context.Context, query string) ([]string, error)
}

// Readers is what was measured of searches for several readers at once: what all
// of them may read.
type Readers struct {
	Sizes   []int `json:"sizes"`   // of the groups of readers
	Queries int   `json:"queries"` // asked by each group
	Leaks   int   `json:"leaks"`
	// LeaksAfter counts again, for users and groups, after access was moved,
	// documents were deleted and users changed their groups.
	LeaksAfter int `json:"leaks_after_changes"`
	// RecallGap is by how much recall over the documents that may be read falls
	// behind that of a scan of all documents which is filtered afterwards.
	RecallGap float64 `json:"recall_gap"`
}

// sizes of the groups of readers.
var sizes = []int{2, 20, 200}

// mostAsked bounds the queries that groups ask: each is a search of its own.
const mostAsked = 100

// groups makes groups of readers of the set's users. Where there are not so many
// users, new ones are in a random choice of the set's groups; those of a group of
// readers have one of them in common, so that there is something to find.
func (s Set) groups() [][][]core.Principal {
	all := s.everyone()
	users := slices.Sorted(maps.Keys(s.Users))
	var out [][][]core.Principal
	for _, size := range sizes {
		var readers [][]core.Principal
		common := all[size%len(all)]
		for i := range size {
			held := []core.Principal{common}
			if size == sizes[0] && i < len(users) {
				held = s.Users[users[i]]
			} else {
				for _, p := range all {
					if chance(string(p), size, i) < 2 {
						held = append(held, p)
					}
				}
			}
			readers = append(readers, held)
		}
		out = append(out, readers)
	}
	return out
}

// chance is a number from 0 to 2 that is the same in every run.
func chance(s string, more ...int) int {
	h := fnv.New32a()
	h.Write([]byte(s)) // a hash never fails to write
	for _, m := range more {
		h.Write([]byte{byte(m), byte(m >> 8)})
	}
	return int(h.Sum32() % 3)
}

func allRead(a core.Access, readers [][]core.Principal) bool {
	return !slices.ContainsFunc(readers, func(r []core.Principal) bool { return !a.Allows(r) })
}

// asked are the queries that groups ask, spread over all of them.
func (s Set) asked() []Query {
	if len(s.Queries) <= mostAsked {
		return s.Queries
	}
	var out []Query
	for i := range mostAsked {
		out = append(out, s.Queries[i*len(s.Queries)/mostAsked])
	}
	return out
}

// measureReaders asks for groups of readers, before and after changes.
func (r *Report) measureReaders(ctx context.Context, set Set, engine Engine) error {
	if len(set.Users) == 0 {
		return nil
	}
	out := &Readers{Sizes: sizes, Queries: len(set.asked())}
	r.Readers = out
	var err error
	if out.Leaks, err = groupLeaks(ctx, set, engine); err != nil {
		return err
	}
	if out.RecallGap, err = recallGap(ctx, set, engine); err != nil {
		return err
	}
	changer, ok := engine.(Changer)
	if !ok {
		return nil
	}
	changed, removed := set.changed()
	if err := changer.Change(ctx, changed.access(), removed); err != nil {
		return err
	}
	users, err := userLeaks(ctx, changed, changed.asked(), engine)
	if err != nil {
		return err
	}
	groups, err := groupLeaks(ctx, changed, engine)
	out.LeaksAfter = users + groups
	return err
}

func groupLeaks(ctx context.Context, set Set, engine Engine) (leaks int, err error) {
	access := set.access()
	for _, readers := range set.groups() {
		for _, q := range set.asked() {
			ranking, err := engine.Search(ctx, q.Text, core.Filter{Principals: common(readers), Readers: readers}, depth)
			if err != nil {
				return leaks, err
			}
			for _, id := range ranking {
				if a, ok := access[id]; !ok || !allRead(a, readers) {
					leaks++
				}
			}
		}
	}
	return leaks, nil
}

// common is what all of the readers hold.
func common(readers [][]core.Principal) []core.Principal {
	return slices.DeleteFunc(slices.Clone(readers[0]), func(p core.Principal) bool {
		return slices.ContainsFunc(readers[1:], func(r []core.Principal) bool { return !slices.Contains(r, p) })
	})
}

// recallGap compares the search inside of what may be read with a scan of
// everything that is filtered afterwards: the largest loss of recall over the
// judged documents that may be read, of single users and of groups.
func recallGap(ctx context.Context, set Set, engine Engine) (float64, error) {
	scanner, ok := engine.(Scanner)
	if !ok {
		return 0, nil
	}
	access := set.access()
	audiences := set.groups()
	for _, u := range slices.Sorted(maps.Keys(set.Users)) {
		audiences = append(audiences, [][]core.Principal{set.Users[u]})
	}
	found, scanned := make([]float64, len(audiences)), make([]float64, len(audiences))
	n := make([]float64, len(audiences))
	for _, q := range set.asked() {
		all, err := scanner.Scan(ctx, q.Text)
		if err != nil {
			return 0, err
		}
		for i, readers := range audiences {
			permitted := map[string]int{}
			for id, gain := range set.Relevant[q.ID] {
				if allRead(access[id], readers) {
					permitted[id] = gain
				}
			}
			if len(permitted) == 0 {
				continue
			}
			ranking, err := engine.Search(ctx, q.Text, core.Filter{Principals: common(readers), Readers: readers}, depth)
			if err != nil {
				return 0, err
			}
			filtered := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return !allRead(access[id], readers) })
			n[i]++
			found[i] += Recall(ranking, permitted, depth)
			scanned[i] += Recall(filtered, permitted, depth)
		}
	}
	worst := 0.0
	for i := range audiences {
		if n[i] > 0 {
			worst = max(worst, (scanned[i]-found[i])/n[i])
		}
	}
	return worst, nil
}

// changed is the set after a busy day: every third document has the readers of
// another one, some are deleted, and every user is in the groups of the next.
func (s Set) changed() (after Set, removed []string) {
	after = Set{Queries: s.Queries, Relevant: s.Relevant, Users: map[string][]core.Principal{}}
	for i, d := range s.Documents {
		switch chance(d.ID, 1) {
		case 0:
			d.Access = s.Documents[(i*7+1)%len(s.Documents)].Access
		case 1:
			if chance(d.ID, 2) == 0 {
				removed = append(removed, d.ID)
				continue
			}
		}
		after.Documents = append(after.Documents, d)
	}
	names := slices.Sorted(maps.Keys(s.Users))
	for i, name := range names {
		after.Users[name] = s.Users[names[(i+1)%len(names)]]
	}
	return after, removed
}
