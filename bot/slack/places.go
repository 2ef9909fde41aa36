package slack

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/core"
)

const (
	factsAge    = 60 * time.Second
	membersAge  = 10 * time.Minute
	mostMembers = 20_000 // read of one channel; in a larger one guests are assumed
	mostAsked   = 30     // users asked for one by one
	// mostHeld is how many readers the principals are looked up for; larger
	// places get no intersection anyway.
	mostHeld = 200
)

// placeID is how a channel is named everywhere outside this package.
func placeID(team, channel string) string { return platform + ":" + team + "/" + channel }

// threadID names a thread: the place and the timestamp of its first message.
func threadID(team, channel, root string) string { return placeID(team, channel) + "/" + root }

// splitPlace is the opposite of placeID; thread ids may be given too.
func splitPlace(id string) (team, channel string, ok bool) {
	rest, ok := strings.CutPrefix(id, platform+":")
	if !ok {
		return "", "", false
	}
	team, channel, ok = strings.Cut(rest, "/")
	channel, _, _ = strings.Cut(channel, "/")
	return team, channel, ok && team != "" && channel != ""
}

// about is what Slack says of a channel.
type about struct {
	name     string
	im, mpim bool
	private  bool
	archived bool
	shared   bool // with outsiders, now or soon
	creator  string
	people   int
	at       time.Time
}

// aboutOf reads Slack's description. Everything that hints at readers from
// elsewhere counts as shared.
func aboutOf(c *slack.Channel, own who) about {
	shared := c.IsExtShared || c.IsPendingExtShared || c.IsOrgShared || c.IsGlobalShared || c.IsShared || len(c.PendingShared) > 0
	for _, list := range [][]string{c.ConnectedTeamIDs, c.SharedTeamIDs} {
		for _, team := range list {
			shared = shared || team != own.Team
		}
	}
	return about{
		name: c.Name, im: c.IsIM, mpim: c.IsMpIM, private: c.IsPrivate, archived: c.IsArchived,
		shared: shared, creator: c.Creator, people: c.NumMembers, at: time.Now(),
	}
}

// crowd is who is in a channel, as far as that matters.
type crowd struct {
	ids     []string // without bots
	more    bool     // there are others
	guests  bool
	outside bool // somebody of another organisation
	unknown bool // somebody of whom nothing can be learned
	doubt   bool // somebody came or went, and it is not known yet who
	at      time.Time
}

// kindOf is the class of a channel by its facts: the strictest that fits.
func kindOf(a about, c crowd) core.PlaceKind {
	switch {
	case a.im:
		return core.PlaceDirect // the bot and one person, whoever they are
	case a.shared || c.outside:
		return core.PlaceConnect
	case c.unknown:
		return core.PlaceUnknown
	case a.mpim:
		return core.PlaceGroup
	case c.guests:
		return core.PlaceGuests
	case a.private:
		return core.PlacePrivate
	}
	return core.PlacePublic
}

// places knows the channels of one workspace and who reads them.
type places struct {
	api    *api
	own    func() who
	people *accounts
	roster *roster

	mu     sync.Mutex
	facts  map[string]about
	crowds map[string]crowd
	epoch  map[string]int // counts what made the facts of a channel doubtful
}

func newPlaces(a *api, own func() who, people *accounts, r *roster) *places {
	return &places{api: a, own: own, people: people, roster: r,
		facts: map[string]about{}, crowds: map[string]crowd{}, epoch: map[string]int{}}
}

// about is what the channel is, at most a minute old.
func (p *places) about(ctx context.Context, channel string) (about, error) {
	p.mu.Lock()
	got, ok := p.facts[channel]
	epoch := p.epoch[channel]
	p.mu.Unlock()
	if ok && time.Since(got.at) < factsAge {
		return got, nil
	}
	for {
		c, err := p.api.channelInfo(ctx, channel)
		if err != nil {
			return about{}, err
		}
		got = aboutOf(c, p.own())
		p.mu.Lock()
		if now := p.epoch[channel]; now != epoch { // an event came meanwhile: ask again
			epoch = now
			p.mu.Unlock()
			continue
		}
		p.facts[channel] = got
		p.mu.Unlock()
		return got, nil
	}
}

// changed drops what is known of a channel.
func (p *places) changed(channel string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.facts, channel)
	delete(p.crowds, channel)
	p.epoch[channel]++
}

// moved says that somebody came into the channel or left it. Until moves tells
// who, its members are read anew whenever somebody asks.
func (p *places) moved(channel string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.facts, channel)
	if c, ok := p.crowds[channel]; ok {
		c.doubt = true
		p.crowds[channel] = c
	}
	p.epoch[channel]++
}

// doubts says that a user may be another kind of account now: the members of
// their channels are sorted anew.
func (p *places) doubts(user string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for channel, c := range p.crowds {
		if slices.Contains(c.ids, user) {
			c.doubt = true
			p.crowds[channel] = c
			p.epoch[channel]++
		}
	}
}

// moves brings what is known of the members up to date, without reading them all.
func (p *places) moves(ctx context.Context, channel, user string, in bool) {
	if user == "" || user == p.own().User {
		p.changed(channel)
		return
	}
	p.people.forget(user)
	class := p.people.of(ctx, user).Class
	p.roster.see(user, class)
	p.mu.Lock()
	c, ok := p.crowds[channel]
	epoch := p.epoch[channel]
	p.mu.Unlock()
	if !ok {
		return
	}
	ids := slices.DeleteFunc(slices.Clone(c.ids), func(id string) bool { return id == user })
	if in {
		ids = append(ids, user)
	}
	now := p.sort(ctx, ids)
	now.more, now.at = c.more, c.at
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.epoch[channel] == epoch {
		p.crowds[channel] = now
	}
}

// crowd is who is in the channel, at most ten minutes old.
func (p *places) crowd(ctx context.Context, channel string) (crowd, error) {
	p.mu.Lock()
	got, ok := p.crowds[channel]
	epoch := p.epoch[channel]
	p.mu.Unlock()
	if ok && !got.doubt && time.Since(got.at) < membersAge {
		return got, nil
	}
	ids, more, err := p.api.members(ctx, channel, mostMembers)
	if err != nil {
		return crowd{}, err
	}
	got = p.sort(ctx, ids)
	got.more, got.guests = more, got.guests || more
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.epoch[channel] == epoch && (p.roster.fresh() || len(ids) <= mostAsked) {
		p.crowds[channel] = got
	}
	return got, nil
}

// sort tells the members apart. Those whom the roster does not have are asked
// for one by one, as far as there are few.
func (p *places) sort(ctx context.Context, ids []string) crowd {
	c := crowd{at: time.Now()}
	asked := 0
	for _, id := range ids {
		class, known := p.roster.class(id)
		if !known && asked < mostAsked {
			asked++
			class = p.people.of(ctx, id).Class
		} else if !known {
			class = core.AccountGuest // may be one
			if p.roster.fresh() {
				class = core.AccountUnknown
			}
		}
		switch class {
		case core.AccountBot, core.AccountDeactivated:
			continue
		case core.AccountGuest:
			c.guests = true
		case core.AccountExternal:
			c.outside = true
		case core.AccountUnknown:
			c.unknown = true
		}
		c.ids = append(c.ids, id)
	}
	return c
}
