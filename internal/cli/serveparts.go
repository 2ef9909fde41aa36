package cli

import (
	"context"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/bot/httpapi"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/find"
	"github.com/footnote-bot/footnote/core/where"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// holders knows who holds which token.
type holders struct {
	app *app

	mu     sync.Mutex
	of     *config.Config         // whose tokens are listed
	listed map[string]listedToken // by hash
	used   map[string]time.Time   // when use was noted last, by token id
}

func (a *app) holders() (*holders, error) {
	h := &holders{app: a, used: map[string]time.Time{}}
	_, _, err := h.find("")
	return h, err
}

// find looks among the tokens that the configuration lists now.
func (h *holders) find(hash string) (listedToken, bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := h.app.current(); h.of != now {
		all, err := listedTokens(*now)
		if err != nil {
			return listedToken{}, false, err
		}
		h.of, h.listed = now, map[string]listedToken{}
		for _, t := range all {
			h.listed[t.hash] = t
		}
	}
	t, ok := h.listed[hash]
	return t, ok, nil
}

// Holder finds the holder of a token.
func (h *holders) Holder(ctx context.Context, secret string) (httpapi.Holder, error) {
	hash := hashOf(secret)
	t, ok, err := h.find(hash)
	if err != nil {
		return httpapi.Holder{}, err
	}
	if ok {
		return h.holder(ctx, t.id, t.email)
	}
	kept, err := h.kept(ctx, secret)
	if err != nil {
		return httpapi.Holder{}, err
	}
	if kept.Source != "" {
		return httpapi.Holder{}, core.Errorf(core.KindDenied, "This token is for pushing documents alone; to ask or search make one with: footnote token create --as EMAIL")
	}
	return h.holder(ctx, kept.Name, kept.As)
}

func (h *holders) holder(ctx context.Context, name, email string) (httpapi.Holder, error) {
	viewer, err := h.app.rights.person(ctx, email)
	return httpapi.Holder{Token: name, Viewer: viewer}, err
}

// notePatience is how long a request waits for that its token's use is written down.
const notePatience = 250 * time.Millisecond

// note writes down that the token is in use, once a minute at most. A request
// does not wait long for that.
func (h *holders) note(ctx context.Context, id string) {
	now := time.Now()
	h.mu.Lock()
	due := now.Sub(h.used[id]) >= time.Minute
	if due {
		h.used[id] = now
	}
	h.mu.Unlock()
	if !due {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, h.app.within(notePatience))
	defer cancel()
	if err := h.app.store.UseToken(ctx, id, now); err != nil {
		h.app.log.Debug("use of a token not noted", "token_id", id, "error", err)
	}
}

// passages searches for the HTTP interface, whose clients are the only readers of
// what they get.
type passages struct {
	finder *find.Finder
	ledger access.Reader
}

func queryOf(by httpapi.Reader) find.Query {
	return find.Query{Filter: by.Audience.Filter(), Viewer: &by.Viewer, Named: by.Audience.TitleOf}
}

// Search returns the best passages.
func (p passages) Search(ctx context.Context, by httpapi.Reader, wish httpapi.Wish) ([]core.Result, error) {
	q := queryOf(by)
	q.Queries, q.Limit, q.Filter.Under = []string{wish.Query}, wish.Limit, wish.Folders
	if wish.Where != "" {
		w, err := where.Parse(wish.Where)
		if err != nil {
			return nil, err
		}
		q.Filter.Where = w
	}
	return p.finder.Search(ctx, q)
}

// Around returns each passage with one neighbour on each side.
func (p passages) Around(ctx context.Context, by httpapi.Reader, results []core.Result) ([][]core.Result, error) {
	return p.finder.Expand(ctx, queryOf(by), results, 1, 1)
}

// Readable tells which documents may be seen now.
func (p passages) Readable(ctx context.Context, by httpapi.Reader, documents []string) (map[string]bool, error) {
	return access.ReadableNow(ctx, p.ledger, by.Audience, documents)
}
