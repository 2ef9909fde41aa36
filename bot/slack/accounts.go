package slack

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/core"
)

const (
	personAge   = 10 * time.Minute
	mostPersons = 20_000 // remembered one by one
)

// person is an account as Slack last described it.
type person struct {
	core.Account
	zone   *time.Location // nil if not known
	locale string         // such as de-DE
	admin  bool           // of the workspace
	at     time.Time
}

// accounts knows the people of one workspace, at most ten minutes old.
type accounts struct {
	api *api
	own func() who

	mu      sync.Mutex
	persons map[string]person
}

func newAccounts(a *api, own func() who) *accounts {
	return &accounts{api: a, own: own, persons: map[string]person{}}
}

// of describes a user. Where Slack cannot tell, the account's class is unknown
// and it has no address: such an account holds public only.
func (a *accounts) of(ctx context.Context, user string) person {
	a.mu.Lock()
	p, ok := a.persons[user]
	a.mu.Unlock()
	if ok && time.Since(p.at) < personAge {
		return p
	}
	u, err := a.api.user(ctx, user)
	if err != nil {
		return person{Account: core.Account{Platform: platform, Team: a.own().Team, ID: user}}
	}
	return a.note(*u)
}

// known is the person as far as that is at hand.
func (a *accounts) known(user string) person {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.persons[user]
}

// note remembers what Slack says of a user.
func (a *accounts) note(u slack.User) person {
	p := personOf(u, a.own())
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.persons) >= mostPersons {
		a.persons = map[string]person{}
	}
	a.persons[u.ID] = p
	return p
}

// forget makes the next look-up ask Slack.
func (a *accounts) forget(user string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.persons, user)
}

// asker is who an event or an interaction is from. A person of another
// organisation is external whatever users.info says, and has no address.
func (a *accounts) asker(ctx context.Context, user, bot string, foreign bool) person {
	if user == "" {
		return person{Account: core.Account{Platform: platform, Team: a.own().Team, ID: bot, Class: core.AccountBot}}
	}
	p := a.of(ctx, user)
	if bot != "" && p.Class != core.AccountDeactivated {
		p.Class = core.AccountBot
	}
	if foreign {
		p.Class = core.AccountExternal
	}
	if p.Class != core.AccountMember && p.Class != core.AccountGuest {
		p.Email, p.Verified = "", false
	}
	return p
}

func personOf(u slack.User, own who) person {
	p := person{
		Account: core.Account{
			Platform: platform, Team: own.Team, ID: u.ID,
			Name:  firstOf(u.Profile.DisplayName, u.RealName, u.Profile.RealName, u.Name),
			Class: classOf(u, own), Email: u.Profile.Email, Verified: u.IsEmailConfirmed,
			Seen: time.Now(),
		},
		locale: u.Locale,
		admin:  u.IsAdmin || u.IsOwner || u.IsPrimaryOwner,
		at:     time.Now(),
	}
	if zone, err := time.LoadLocation(u.TZ); u.TZ != "" && err == nil {
		p.zone = zone
	} else if u.TZOffset != 0 {
		p.zone = time.FixedZone(u.TZLabel, u.TZOffset)
	}
	return p
}

// slackbot is Slack's own bot, which is not marked as one.
const slackbot = "USLACKBOT"

// classOf tells what kind of account a user is. The stricter class wins.
func classOf(u slack.User, own who) core.AccountClass {
	switch {
	case u.Deleted:
		return core.AccountDeactivated
	case u.IsBot || u.IsWorkflowBot || u.IsConnectorBot || u.ID == slackbot:
		return core.AccountBot
	case u.IsStranger || !belongs(u, own):
		return core.AccountExternal
	case u.IsRestricted || u.IsUltraRestricted:
		return core.AccountGuest
	}
	return core.AccountMember
}

// belongs tells whether the user is in the workspace itself; another workspace of
// the same organisation is not enough.
func belongs(u slack.User, own who) bool {
	return u.TeamID != "" && u.TeamID == own.Team || slices.Contains(u.Enterprise.Teams, own.Team)
}
