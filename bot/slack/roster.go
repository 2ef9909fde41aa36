package slack

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/core"
)

const rosterAge = 10 * time.Minute

// roster is what kind of account each user of the workspace is, so that the
// members of a channel can be told apart without a call for each.
type roster struct {
	api *api
	own func() who
	log *slog.Logger

	mu      sync.Mutex
	classes map[string]core.AccountClass
	guests  bool
	at      time.Time
	newer   map[string]core.AccountClass // seen while the list is being read; nil otherwise
}

// run keeps the roster fresh until the context ends.
func (r *roster) run(ctx context.Context) {
	for {
		wait := rosterAge / 2
		if err := r.load(ctx); err != nil && ctx.Err() == nil {
			r.log.Warn("the users of a workspace cannot be listed; channels are treated as if guests were in them", "error", err)
			wait = time.Minute
		}
		if sleep(ctx, wait) != nil {
			return
		}
	}
}

func (r *roster) load(ctx context.Context) error {
	classes, guests := map[string]core.AccountClass{}, false
	r.mu.Lock()
	r.newer = map[string]core.AccountClass{}
	r.mu.Unlock()
	err := r.api.users(ctx, func(u slack.User) {
		class := classOf(u, r.own())
		classes[u.ID] = class
		guests = guests || class == core.AccountGuest
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for user, class := range r.newer { // the page with them may have been read before
		classes[user] = class
		guests = guests || maybeGuest(class)
	}
	r.newer = nil
	r.classes, r.guests, r.at = classes, guests, time.Now()
	return nil
}

// see notes the class of one user, who may be newer than the roster.
func (r *roster) see(user string, class core.AccountClass) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.classes != nil {
		r.classes[user] = class
	}
	if r.newer != nil {
		r.newer[user] = class
	}
	r.guests = r.guests || maybeGuest(class)
}

func maybeGuest(class core.AccountClass) bool {
	return class == core.AccountGuest || class == core.AccountUnknown
}

// guestless tells that the workspace has no guests at all, so that nobody needs to
// look for one in a channel.
func (r *roster) guestless() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.at) <= rosterAge && !r.guests
}

// class tells what kind of account a user is; known is false where the roster is
// too old or does not have them.
func (r *roster) class(user string) (class core.AccountClass, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.at) > rosterAge {
		return "", false
	}
	class, known = r.classes[user]
	return class, known
}

// fresh tells whether the roster can be relied on.
func (r *roster) fresh() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.at) <= rosterAge
}
