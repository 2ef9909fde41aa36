package slack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/history"
)

// directory knows the people, groups and channels that texts name. Sync, Grants and
// Search use it side by side.
type directory struct {
	api *slack.Client
	now func() time.Time

	mu       sync.Mutex
	at       time.Time // when people were listed
	people   map[string]person
	groups   map[string]string // handles by id
	channels map[string]string // names by id
}

type person struct {
	name  string
	email string // "" where it is not known, or not to be trusted
	bot   bool
	gone  bool // deactivated
}

// reads tells whether the account may stand for a reader.
func (p person) reads() bool { return p.email != "" && !p.bot && !p.gone }

func personOf(u slack.User) person {
	p := person{name: cmp.Or(u.Profile.DisplayName, u.Profile.RealName, u.RealName, u.Name, u.ID), bot: u.IsBot || u.ID == "USLACKBOT", gone: u.Deleted}
	if u.IsEmailConfirmed { // anybody can claim an address
		p.email = strings.ToLower(strings.TrimSpace(u.Profile.Email))
	}
	return p
}

// fresh is how long a listing of people is used for names.
const fresh = 10 * time.Minute

// load lists the people, where the last time was longer ago.
func (d *directory) load(ctx context.Context, age time.Duration) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.at.IsZero() && d.now().Sub(d.at) < age {
		return nil
	}
	people := map[string]person{}
	page, err := d.api.GetUsersPaginated(slack.GetUsersOptionLimit(200)), error(nil)
	for {
		if page, err = page.Next(ctx); err != nil {
			break
		}
		for _, u := range page.Users {
			people[u.ID] = personOf(u)
		}
	}
	if err := page.Failure(err); err != nil {
		return explain("the list of people", err)
	}
	if len(people) == 0 {
		return errors.New("the list of people is empty")
	}
	groups := map[string]string{}
	list, err := d.api.GetUserGroupsContext(ctx, slack.GetUserGroupsOptionIncludeDisabled(true))
	if err = explain("the list of user groups", err); err != nil && !history.Refusal(err) {
		return err // without the right to see them a group is called as the text calls it
	}
	for _, g := range list {
		groups[g.ID] = g.Handle
	}
	d.people, d.groups, d.at = people, groups, d.now()
	return nil
}

// name keeps what channels are called.
func (d *directory) name(list []channel) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.channels = map[string]string{}
	for _, c := range list {
		if !c.private { // a text may name a private channel that its readers do not know
			d.channels[c.id] = c.name
		}
	}
}

// who finds one person, also one of another organisation, who is in no list.
func (d *directory) who(ctx context.Context, id string) (person, error) {
	d.mu.Lock()
	p, ok := d.people[id]
	d.mu.Unlock()
	if ok || id == "" {
		return p, nil
	}
	u, err := d.api.GetUserInfoContext(ctx, id)
	if err = explain("the person "+id, err); err != nil && !history.Refusal(err) {
		return person{}, err
	}
	p = person{name: "somebody"}
	if err == nil {
		p = personOf(*u)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.people == nil {
		d.people = map[string]person{}
	}
	d.people[id] = p
	return p, nil
}

func (d *directory) group(id string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.groups[id]
}

func (d *directory) channel(id string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.channels[id]
}

// members are the addresses of those in a channel, and how many have none.
func (s *Source) members(ctx context.Context, c channel) (emails []string, without int, err error) {
	seen := map[string]bool{}
	for cursor := ""; ; {
		list, next, err := s.api.GetUsersInConversationContext(ctx, &slack.GetUsersInConversationParameters{ChannelID: c.id, Limit: 200, Cursor: cursor})
		if err != nil {
			return nil, 0, explain("the people in #"+c.name, err)
		}
		for _, id := range list {
			p, err := s.folks.who(ctx, id)
			if err != nil {
				return nil, 0, err
			}
			switch {
			case p.reads() && !seen[p.email]:
				seen[p.email] = true
				emails = append(emails, p.email)
			case !p.reads() && !p.bot && !p.gone:
				without++
			}
		}
		if next == "" {
			return emails, without, nil
		}
		if next == cursor {
			return nil, 0, fmt.Errorf("the list of people in #%s goes around in circles", c.name)
		}
		cursor = next
	}
}

var errNobody = sdk.Warning("Slack tells no e-mail address of the people in the channels, so that nobody can be recognised: the token needs the scope users:read.email")
