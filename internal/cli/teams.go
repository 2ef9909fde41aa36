package cli

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/footnote-bot/footnote/bot/discord"
	"github.com/footnote-bot/footnote/core"
)

const (
	teamsNote   = "teams"
	slackName   = "slack" // of the platform
	discordName = "discord"
)

// setTeam notes to which team of the platform the workspace belongs that
// footnote.yaml lists under the name. Only the platform can tell that from a
// token; the note is for commands that run without asking it.
func (r *rights) setTeam(ctx context.Context, platform, name, team string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.teams[platform+":"+name] == team {
		return nil
	}
	next := maps.Clone(r.teams)
	next[platform+":"+name] = team
	r.teams = next // it counts in this process also where it cannot be noted
	raw, err := json.Marshal(next)
	if err != nil {
		return err
	}
	return r.app.store.SetNote(ctx, teamsNote, string(raw))
}

// readTeams reads what was noted of the workspaces that footnote.yaml lists. One
// that left it is forgotten with the next note.
func (a *app) readTeams(ctx context.Context) (map[string]string, error) {
	noted, out := map[string]string{}, map[string]string{}
	raw, err := a.store.Note(ctx, teamsNote)
	if err != nil || raw == "" {
		return out, err
	}
	if err := json.Unmarshal([]byte(raw), &noted); err != nil {
		return out, core.Errorf(core.KindInternal, "what is noted of teams cannot be read: %w", err)
	}
	for _, s := range a.cfg.Slack {
		if team, ok := noted[slackName+":"+s.Name]; ok {
			out[slackName+":"+s.Name] = team
		}
	}
	return out, nil
}

// team is what footnote.yaml says about one team of a platform: a Slack workspace
// or a Discord server.
type team struct {
	home    bool
	sources []string
}

// listed finds what footnote.yaml says about the team, in each place where it
// does. A Discord server belongs to the applications that name it; where it was
// bound by a code it could be any, so all of them count.
func (r *rights) listed(platform, id string) []team {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var out []team
	switch {
	case id == "":
	case platform == slackName:
		for _, s := range r.app.cfg.Slack {
			if r.teams[slackName+":"+s.Name] == id {
				out = append(out, team{s.Home, s.Sources})
			}
		}
	case platform == discordName:
		for _, d := range r.app.cfg.Discord {
			if slices.Contains(d.Guilds, id) || r.guilds[id] {
				out = append(out, team{d.Home, d.Sources})
			}
		}
	}
	return out
}

// home tells whether the members of a team are full members: it is listed and
// marked so, in each place where it is.
func (r *rights) home(platform, id string) bool {
	all := r.listed(platform, id)
	return len(all) > 0 && !slices.ContainsFunc(all, func(t team) bool { return !t.home })
}

// own is the groups that the readers of a channel are in by being there: those of
// the sources that read the channels of this very team.
func (r *rights) own(platform, id, channel string) []core.Principal {
	if channel == "" {
		return nil
	}
	var out []core.Principal
	for _, t := range r.listed(platform, id) {
		for _, source := range t.sources {
			out = append(out, core.Group(source, channel))
		}
	}
	return out
}

// setGuild notes that a Discord server was bound by a code, or is no longer.
func (r *rights) setGuild(id string, bound bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := maps.Clone(r.guilds)
	next[id] = bound
	r.guilds = next
}

// readGuilds reads which Discord servers were bound by a code.
func (a *app) readGuilds(ctx context.Context) (map[string]bool, error) {
	out := map[string]bool{}
	bound, err := discord.NewBindings(a.store, nil).List(ctx)
	for _, b := range bound {
		out[b.Guild] = true
	}
	return out, err
}
