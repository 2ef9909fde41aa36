package cli

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// rights knows who is who, and what the owner bound to places: from footnote.yaml
// and from commands.
type rights struct {
	app *app

	mu          sync.RWMutex
	collections map[string]core.Collection
	teams       map[string]string // the team of each workspace that footnote.yaml lists, by platform:name
	guilds      map[string]bool   // Discord servers that were bound by a code
	places      map[string]string // what was noted of each, by id
	made        map[string]string // see madeNote
	making      sync.Mutex        // held while made is changed
}

// openRights joins what the file lists and what commands added; the same name in
// both is an error.
func (a *app) openRights(ctx context.Context) (*rights, error) {
	r := &rights{app: a, collections: map[string]core.Collection{}, places: map[string]string{}}
	added, err := a.store.Collections(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range added {
		r.collections[c.Name] = c
	}
	if err := r.applyCollections(ctx); err != nil {
		return nil, err
	}
	if r.teams, err = a.readTeams(ctx); err != nil {
		return nil, err
	}
	if r.guilds, err = a.readGuilds(ctx); err != nil {
		return nil, err
	}
	if err := r.checkGrants(ctx, a.cfg); err != nil {
		return nil, err
	}
	if err := r.openMade(ctx); err != nil {
		return nil, err
	}
	return r, r.applyGroups(ctx)
}

// applyCollections writes what footnote.yaml lists into the ledger, where grants
// refer to it. One that left the file opens nothing any more, and stays there
// only while a grant names it.
func (r *rights) applyCollections(ctx context.Context) error {
	cfg := *r.app.current()
	if err := r.checkCollections(cfg); err != nil {
		return err
	}
	listed := map[string]bool{}
	for _, c := range cfg.Collections {
		old, known := r.collection(c.Name)
		listed[c.Name] = true
		if one := c.Core(); !known || !sameRule(old, one) {
			if err := r.app.store.PutCollection(ctx, one); err != nil {
				return err
			}
		}
		r.put(c.Core())
	}
	for _, name := range r.names() {
		if c, _ := r.collection(name); c.Origin != core.FromConfig || listed[name] {
			continue
		}
		r.drop(name)
		if err := r.app.store.RemoveCollection(ctx, name); err != nil && core.KindOf(err) != core.KindConflict {
			return err
		}
	}
	return nil
}

// checkCollections refuses one name in the file and from a command.
func (r *rights) checkCollections(cfg config.Config) error {
	for _, c := range cfg.Collections {
		if old, known := r.collection(c.Name); known && old.Origin != core.FromConfig {
			return core.Errorf(core.KindConfig,
				"%s: collection %q was also added by command; give it another name here, or take it out here, run footnote collection remove %s, and list it again",
				cfg.File, c.Name, c.Name)
		}
	}
	return nil
}

func sameRule(a, b core.Collection) bool {
	return sortedLower(a.Sources) == sortedLower(b.Sources) && sameSet(a.Folders, b.Folders) &&
		sortedLower(a.Tags) == sortedLower(b.Tags)
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// checkGrants refuses one grant in both places: they could differ in whether
// outsiders may know the collection.
func (r *rights) checkGrants(ctx context.Context, cfg config.Config) error {
	added, err := r.app.store.Grants(ctx, "")
	for _, g := range added {
		if listed(cfg.Grants, g) {
			return core.Errorf(core.KindConfig,
				"%s: the grant of %s to %s was also made by command; take it out here, run footnote grant remove %s %s, and list it again",
				cfg.File, g.Collection, g.Place, g.Place, g.Collection)
		}
	}
	return err
}

// applyGroups writes the groups of footnote.yaml into the ledger, where people's
// memberships are worked out, if they are not there already.
func (r *rights) applyGroups(ctx context.Context) error {
	var want []core.GroupMembers
	for _, g := range r.app.current().Groups {
		one, err := g.Core()
		if err != nil {
			return err
		}
		want = append(want, one)
	}
	have, err := r.app.store.Groups(ctx, core.ConfigGroups)
	if err != nil || sameGroups(have, want) {
		return err
	}
	return r.app.store.ReplaceGroups(ctx, core.ConfigGroups, want, r.app.store.Now())
}

func sameGroups(a, b []core.GroupMembers) bool {
	key := func(list []core.GroupMembers) []string {
		var out []string
		for _, g := range list {
			out = append(out, strings.Join([]string{
				string(core.Group(g.Source, g.Name)), sortedLower(g.Users), sortedLower(g.Groups),
			}, "\x00"))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(key(a), key(b))
}

func sortedLower[T ~string](list []T) string {
	var out []string
	for _, s := range list {
		out = append(out, strings.ToLower(string(s)))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), "\x01")
}

// person is the viewer with the e-mail address: who footnote --as, a token or a
// linked account speaks for.
func (r *rights) person(ctx context.Context, email string) (core.Viewer, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	known, err := r.app.store.Accounts(ctx, email)
	if err != nil {
		return core.Viewer{}, err
	}
	emails := []string{email}
	for _, a := range known {
		if who, former, _ := access.PersonOf(a, r.standing(a)); who == email {
			emails = append(emails, former...)
		}
	}
	held, err := r.app.store.Memberships(ctx, emails, r.app.store.Now())
	if err != nil {
		return core.Viewer{}, err
	}
	groups := held.Groups
	for _, former := range emails[1:] {
		groups = append(groups, core.User(former))
	}
	return access.Person(email, r.fullMember(email), groups), nil
}

func (r *rights) fullMember(email string) bool {
	_, domain, _ := strings.Cut(email, "@")
	return fullMember(r.app.current().Members, email, domain)
}

// account is the viewer behind a platform's account.
func (r *rights) account(ctx context.Context, a core.Account) (core.Viewer, error) {
	standing := r.standing(a)
	email, former, _ := access.PersonOf(a, standing)
	if email != "" {
		held, err := r.app.store.Memberships(ctx, append([]string{email}, former...), r.app.store.Now())
		if err != nil {
			return core.Viewer{}, err
		}
		standing.Groups = held.Groups
	}
	return access.ViewerOf(a, standing), nil
}

// standing is what the owner says about the account's workspace and people.
func (r *rights) standing(a core.Account) access.Standing {
	return access.Standing{
		Home: r.home(a.Platform, a.Team), Team: a.Team,
		Domains: r.app.current().Members.Domains, Emails: r.app.current().Members.Emails,
	}
}

// collection finds a collection by name.
func (r *rights) collection(name string) (core.Collection, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	c, ok := r.collections[name]
	return c, ok
}

// ruled gives each name its rule; a name that is not known gets one that holds
// nothing.
func (r *rights) ruled(names []string) []core.Collection {
	out := []core.Collection{}
	for _, n := range names {
		c, ok := r.collection(n)
		if !ok {
			c = core.Collection{Name: n}
		}
		out = append(out, c)
	}
	return out
}

// asked gives the collections that an asker names their rules. One in which
// nobody of the audience could read a thing looks as if it did not exist: its
// name may be a secret.
func (r *rights) asked(ctx context.Context, names []string, audience core.Audience) ([]core.Collection, error) {
	out := []core.Collection{}
	for _, name := range names {
		c, ok := r.collection(name)
		if ok {
			some, err := r.app.store.AnyReadable(ctx, audience.Filter(), c)
			if err != nil {
				return nil, err
			}
			ok = some
		}
		if !ok {
			return nil, core.Errorf(core.KindNotFound, "there is no collection %q", name)
		}
		out = append(out, c)
	}
	return out, nil
}

func (r *rights) names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.collections))
}

func (r *rights) put(c core.Collection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.collections[c.Name] = c
}

func (r *rights) drop(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.collections, name)
}
