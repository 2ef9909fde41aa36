package cli

import (
	"context"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/bot/httpapi"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/access"
	"github.com/footnote-bot/footnote/core/find"
)

// holders knows who holds which token.
type holders struct {
	app    *app
	listed map[string]listedToken // by hash

	mu   sync.Mutex
	used map[string]time.Time // when use was noted last, by token id
}

func (a *app) holders() (*holders, error) {
	listed, err := listedTokens(a.cfg)
	if err != nil {
		return nil, err
	}
	h := &holders{app: a, listed: map[string]listedToken{}, used: map[string]time.Time{}}
	for _, t := range listed {
		h.listed[t.hash] = t
	}
	return h, nil
}

// Holder finds the holder of a token.
func (h *holders) Holder(ctx context.Context, secret string) (httpapi.Holder, error) {
	hash := hashOf(secret)
	if t, ok := h.listed[hash]; ok {
		return h.holder(ctx, t.id, t.email)
	}
	t, err := h.app.store.TokenByHash(ctx, hash)
	if err != nil {
		return httpapi.Holder{}, err
	}
	h.note(ctx, t.ID)
	return h.holder(ctx, t.Name, t.As)
}

func (h *holders) holder(ctx context.Context, name, email string) (httpapi.Holder, error) {
	viewer, err := h.app.rights.person(ctx, email)
	return httpapi.Holder{Token: name, Viewer: viewer}, err
}

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
	ctx, cancel := context.WithTimeout(ctx, 250*time.Millisecond)
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
	return find.Query{Filter: by.Audience.Filter(), Viewer: &by.Viewer}
}

// Search returns the best passages.
func (p passages) Search(ctx context.Context, by httpapi.Reader, query string, limit int) ([]core.Result, error) {
	q := queryOf(by)
	q.Queries, q.Limit = []string{query}, limit
	return p.finder.Search(ctx, q)
}

// Around returns a passage and one neighbour on each side.
func (p passages) Around(ctx context.Context, by httpapi.Reader, r core.Result) ([]core.Result, error) {
	return p.finder.Expand(ctx, queryOf(by), r, 1, 1)
}

// Readable tells which documents may be seen now.
func (p passages) Readable(ctx context.Context, by httpapi.Reader, documents []string) (map[string]bool, error) {
	return access.ReadableNow(ctx, p.ledger, by.Audience, documents)
}
