package files

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"sync"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// mark is the cursor of a repository: what was sent completely.
type mark struct {
	Commit string `json:"commit,omitempty"`
	// Settings stand for all that decides what is sent of a commit. When they
	// change, everything is sent again.
	Settings string `json:"settings,omitempty"`
	Full     int64  `json:"full,omitempty"` // Unix time at which everything was sent
}

// fullEvery is how often everything is sent although little changed, which costs
// the host a comparison of hashes. It gives files that it could not use another
// try, and states all readers again.
const fullEvery = 24 * time.Hour

// sentAs changes when the connector itself comes to send something else of the
// same file.
const sentAs = 1

func (s *Source) settingsOf(branch string) string {
	// Nothing here can fail to be written, and a map is written in order.
	data, _ := json.Marshal([]any{sentAs, s.repo.url, branch, s.Subfolder, s.Include, s.Exclude, s.MaxSize, s.URLBase, s.URLTemplate, s.Access})
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// syncClone brings the clone up to date and sends what changed since the cursor.
// A cursor of a commit that the branch no longer has is as good as any other,
// unless git has forgotten it.
func (s *Source) syncClone(ctx context.Context, since sdk.Cursor, out sink) error {
	var before mark
	if err := since.JSON(&before); err != nil {
		before = mark{} // of the time when the source was a folder
	}
	if err := s.updateSaying(ctx, before, out); err != nil {
		return err
	}
	r, err := s.openClone(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	if r.tree, err = s.treeOf(ctx, r); err != nil {
		return s.explained(err)
	}
	now := mark{Commit: r.state.Commit, Settings: s.settingsOf(r.state.Branch)}
	cursor, err := sdk.JSONCursor(before)
	if err != nil {
		return err
	}
	p := s.pass(r, out, cursor)
	if p.only, err = s.since(ctx, before, now); err != nil {
		return err
	}
	if now.Full = before.Full; p.only == nil {
		now.Full = time.Now().Unix()
	}
	if err := p.date(ctx); err != nil {
		return err
	}
	if err := p.run(ctx); err != nil {
		return err
	}
	if p.again {
		return out.Checkpoint(cursor)
	}
	if cursor, err = sdk.JSONCursor(now); err != nil {
		return err
	}
	return out.Checkpoint(cursor)
}

// since lists what has to be sent; nil means everything.
func (s *Source) since(ctx context.Context, before, now mark) (*changes, error) {
	switch {
	case before.Settings != now.Settings || !isHash(before.Commit), time.Since(time.Unix(before.Full, 0)).Abs() > fullEvery:
		return nil, nil
	case before.Commit == now.Commit:
		return &changes{}, nil
	}
	c, err := s.changesOf(ctx, before.Commit, now.Commit)
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil || c.all: // git no longer has the commit
		return nil, nil
	}
	return c, nil
}

// isHash keeps what is not a commit out of a command.
func isHash(text string) bool {
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(text) == 40 || len(text) == 64
}

// date looks up when the files that are sent were changed.
func (p *pass) date(ctx context.Context) error {
	h := &history{tree: p.root.tree, wanted: len(p.root.tree.blobs), since: p.root.state.Since}
	if p.only != nil {
		h.only, h.wanted = p.only.paths, 0
		for name := range h.only {
			if h.tree.blobs[name] != "" {
				h.wanted++
			}
		}
	}
	if h.wanted == 0 {
		return nil
	}
	return p.src.explained(p.src.readHistory(ctx, p.root.state.Commit, h))
}

// quiet is how long the host hears nothing of a transfer that goes on; it gives
// up on a silent connector after 15 minutes.
const quiet = 5 * time.Minute

// updateSaying updates the clone and repeats the cursor now and then, as a sign
// of life.
func (s *Source) updateSaying(ctx context.Context, before mark, out sink) error {
	cursor, err := sdk.JSONCursor(before)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stop(nil)
	beside.Go(func() {
		tick := time.NewTicker(quiet)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := out.Checkpoint(cursor); err != nil {
				stop(err)
				return
			}
		}
	})
	return s.update(ctx)
}
