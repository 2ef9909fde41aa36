package slack

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"
)

// mostNames is how many ids of one question are looked up; the others are
// called somebody.
const mostNames = 40

// names are those of the ids in some texts, looked up beforehand, and the
// addresses of the users among them.
type names struct{ users, channels, groups, emails map[string]string }

func (n names) userName(id string) string    { return n.users[id] }
func (n names) channelName(id string) string { return n.channels[id] }
func (n names) groupName(id string) string   { return n.groups[id] }

// name looks up what the texts name, and the users given beside.
func (a *app) name(ctx context.Context, texts []string, users ...string) names {
	n := names{users: map[string]string{}, channels: map[string]string{}, groups: map[string]string{}, emails: map[string]string{}}
	for _, u := range users {
		n.users[u] = ""
	}
	for _, text := range texts {
		for _, t := range token.FindAllStringSubmatch(text, -1) {
			id, label, _ := strings.Cut(t[1], "|")
			switch {
			case strings.HasPrefix(id, "@"):
				n.users[id[1:]] = ""
			case strings.HasPrefix(id, "#") && label == "":
				n.channels[id[1:]] = ""
			case strings.HasPrefix(id, "!subteam^"):
				n.groups[strings.TrimPrefix(id, "!subteam^")] = ""
			}
		}
	}
	left := mostNames
	a.fillNames(n.users, &left, func(id string) string {
		who := a.people.of(ctx, id)
		if who.Email != "" {
			n.emails[id] = who.Email
		}
		return who.Name
	})
	a.fillNames(n.channels, &left, func(id string) string { return a.publicName(ctx, id) })
	a.fillNames(n.groups, &left, func(id string) string { return a.groups.handle(ctx, id) })
	return n
}

func (a *app) fillNames(of map[string]string, left *int, look func(string) string) {
	for id := range of {
		if *left--; *left < 0 {
			return
		}
		of[id] = look(id)
	}
}

// publicName is the name of a channel; that of a private one is nobody else's
// business.
func (a *app) publicName(ctx context.Context, channel string) string {
	facts, err := a.places.about(ctx, channel)
	if err != nil || facts.private || facts.im || facts.mpim {
		return ""
	}
	return facts.name
}

const groupsAge = 10 * time.Minute

// groups are the user groups of the workspace. Where they cannot be read anew,
// the old ones stay.
type groups struct {
	api *api

	mu   sync.Mutex
	list []slack.UserGroup
	at   time.Time
}

func (g *groups) all(ctx context.Context) []slack.UserGroup {
	g.mu.Lock()
	list, at := g.list, g.at
	g.mu.Unlock()
	if time.Since(at) < groupsAge {
		return list
	}
	fresh, err := g.api.userGroups(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at = time.Now()
	if err == nil {
		g.list = fresh
	}
	return g.list
}

// handle is what people type after the @.
func (g *groups) handle(ctx context.Context, id string) string {
	for _, one := range g.all(ctx) {
		if one.ID == id {
			return one.Handle
		}
	}
	return ""
}

// find looks a group up by id, handle or name.
func (g *groups) find(ctx context.Context, name string) (id string, ok bool) {
	name = strings.TrimPrefix(name, "@")
	for _, one := range g.all(ctx) {
		if one.ID == name || strings.EqualFold(one.Handle, name) || strings.EqualFold(one.Name, name) {
			return one.ID, true
		}
	}
	return "", false
}
