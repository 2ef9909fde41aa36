package github

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-github/v80/github"
	"golang.org/x/sync/errgroup"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// changed walks issues and pull requests in the order of their last change, and
// tells with each batch up to when all were seen.
//
// It does not count pages: an item that changes while the list is read moves to
// its end, and each later page would begin one too late. Each request asks for
// what changed since the last item of the one before, on the first page. Only a
// second that fills more than a page is read page by page, and again until nothing
// new comes.
func (s *Source) changed(ctx context.Context, r repo, since time.Time, each func(batch []*github.Issue, upTo time.Time) error) error {
	seen := map[int]time.Time{}
	at, page, after := since, 0, ""
	again := false // something new came on a later page of one second
	for {
		list, resp, err := s.api.Issues.ListByRepo(ctx, r.owner, r.name, &github.IssueListByRepoOptions{
			State: "all", Sort: "updated", Direction: "asc", Since: at,
			ListOptions: github.ListOptions{Page: page, PerPage: perPage}, ListCursorOptions: github.ListCursorOptions{After: after},
		})
		if err != nil {
			return explain("the issues of "+r.full(), err)
		}
		fresh, upTo, err := unseen(list, seen, at)
		if err != nil {
			return fmt.Errorf("the issues of %s: %w", r.full(), err)
		}
		if err := each(fresh, upTo); err != nil {
			return err
		}
		later, more := page != 0 || after != "", resp.NextPage != 0 || resp.After != ""
		again = again || later && len(fresh) > 0
		switch {
		case later && again && (!more || upTo.After(at)):
			page, after, again = 0, "", false
		case more && upTo.After(at):
			at, page, after = upTo, 0, ""
		case more:
			page, after = resp.NextPage, resp.After
		default:
			return nil
		}
	}
}

// unseen keeps what was not handed on in this state before, and tells when the
// last of the list changed, at the earliest at.
func unseen(list []*github.Issue, seen map[int]time.Time, at time.Time) (fresh []*github.Issue, last time.Time, err error) {
	last = at
	for _, i := range list {
		number, updated := i.GetNumber(), i.GetUpdatedAt().Time
		if number == 0 || updated.IsZero() {
			return nil, at, fmt.Errorf("an issue without number or time: %w", errOdd)
		}
		if updated.After(last) {
			last = updated
		}
		if before, ok := seen[number]; !ok || updated.After(before) {
			seen[number] = updated
			fresh = append(fresh, i)
		}
	}
	return fresh, last, nil
}

func kindOf(i *github.Issue) string {
	if i.IsPullRequest() {
		return pulls
	}
	return issues
}

// items sends the issues and pull requests that changed.
func (p *pass) items(ctx context.Context, r *repo, at *place) error {
	if err := p.retry(ctx, r, at); err != nil {
		return err
	}
	err := p.src.changed(ctx, *r, at.since(), func(batch []*github.Issue, upTo time.Time) error {
		if err := p.look(ctx, r); err != nil {
			return err
		}
		if err := p.batch(ctx, r, at, batch); err != nil {
			return err
		}
		// A time in the future would hide every change until then.
		if now := time.Now(); upTo.After(now) {
			upTo = now
		}
		if !upTo.IsZero() && upTo.Unix() > at.Items {
			at.Items, at.Whole = upTo.Unix(), false
		}
		return p.checkpoint()
	})
	if err != nil {
		return err
	}
	at.Whole = true
	return nil
}

// batch reads what belongs to each item side by side, and sends all in order.
func (p *pass) batch(ctx context.Context, r *repo, at *place, batch []*github.Issue) error {
	batch = slices.DeleteFunc(batch, func(i *github.Issue) bool { return !p.src.kinds[kindOf(i)] })
	of := *r
	docs, errs := make([]sdk.Document, len(batch)), make([]error, len(batch))
	group, reading := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for n, i := range batch {
		group.Go(func() (err error) {
			defer recovered(&err)
			docs[n], errs[n] = p.src.item(reading, of, i)
			if fatal(errs[n]) {
				return errs[n]
			}
			return reading.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for n, i := range batch {
		if err := p.sendItem(ctx, r, at, i.GetNumber(), docs[n], errs[n]); err != nil {
			return err
		}
	}
	return nil
}

// fatal tells that the sync cannot go on, whichever the item.
func fatal(err error) bool {
	kind := sdk.KindOf(err)
	return kind == "auth" || kind == "busy"
}

// sendItem sends an item, or records why it could not be read. One that may be
// readable later is kept in mind, for the list will not show it again.
func (p *pass) sendItem(ctx context.Context, r *repo, at *place, number int, d sdk.Document, err error) error {
	switch {
	case err == nil:
		return p.send(ctx, r, d)
	case sdk.KindOf(err) == "gone":
		return nil // deleted or moved since it was listed; List tells
	case !passing(err):
		return p.unread(ctx, r, d, err)
	case len(at.Retry) == mostRetries:
		return fmt.Errorf("more than %d items of %s cannot be read: %w", mostRetries, at.Name, err)
	}
	if !slices.Contains(at.Retry, number) {
		at.Retry = append(at.Retry, number)
	}
	return p.unread(ctx, r, d, err)
}

// retry reads again what could not be read before. What still cannot be is
// recorded as failed already.
func (p *pass) retry(ctx context.Context, r *repo, at *place) error {
	numbers := at.Retry
	at.Retry = nil
	for n, number := range numbers {
		i, err := p.src.one(ctx, *r, number)
		if fatal(err) || ctx.Err() != nil {
			at.Retry = append(at.Retry, numbers[n:]...)
			return errors.Join(err, ctx.Err())
		}
		if err != nil {
			if passing(err) {
				at.Retry = append(at.Retry, number)
			}
			continue // what is gone is for List to tell
		}
		if err := p.batch(ctx, r, at, []*github.Issue{i}); err != nil {
			return err
		}
	}
	return nil
}

// one reads an item of the repository alone. One that was moved is answered with
// what it has become elsewhere, and counts as gone.
func (s *Source) one(ctx context.Context, r repo, number int) (*github.Issue, error) {
	doing := fmt.Sprintf("%s#%d", r.full(), number)
	i, _, err := s.api.Issues.Get(ctx, r.owner, r.name, number)
	switch {
	case err != nil:
		return nil, explain(doing, err)
	case i.GetNumber() == 0 || i.GetUpdatedAt().IsZero():
		return nil, fmt.Errorf("%s: %w", doing, errOdd)
	case i.GetNumber() != number || !r.holds(i.GetHTMLURL()):
		return nil, sdk.Gone(fmt.Errorf("%s was moved to another repository", doing))
	}
	return i, nil
}

// recovered turns a panic of a goroutine into an error of the sync.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the connector panicked: %v", p)
	}
}
