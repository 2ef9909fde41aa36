package typesense

import (
	"context"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Prepared is what Prepare found.
type Prepared struct {
	// Collection is where documents are put from now on. The caller notes it beside
	// what the ledger counts as indexed: both belong together.
	Collection string
	// Empty tells that all documents have to be put into it.
	Empty bool
}

// Prepare finds the collection that the ledger's account belongs to, as noted after
// the last Prepare ("" if never), or makes a new one: at the first start, after
// another kind of index was in use, where the collection is lost or of an older
// schema, or where renew asks for it. A new one is filled beside the old one, which
// answers until Switch. Errors are of kind unavailable where the cluster does not
// answer, auth where it refuses the key, and config where the alias leads to a
// collection of a later version of Footnote.
func (x *Index) Prepare(ctx context.Context, noted string, renew bool) (Prepared, error) {
	if err := ctx.Err(); err != nil {
		return Prepared{}, err
	}
	x.write.Lock()
	defer x.write.Unlock()
	target, there, err := x.look(ctx)
	if err != nil {
		return Prepared{}, err
	}
	version, ours := x.schemaOf(target)
	switch {
	case target != "" && !ours:
		return Prepared{}, core.Errorf(core.KindConfig,
			"The alias %s on Typesense at %s leads to %s, which Footnote did not make. Set index.collection to another name.", x.name, x.where, target)
	case version > schema:
		return Prepared{}, core.Errorf(core.KindConfig,
			"The collection %s on Typesense at %s was made by a later version of Footnote. Use that version, or set index.collection to another name.", target, x.where)
	}
	readable := target
	if version != schema || !slices.Contains(there, target) {
		readable = ""
	}
	out := Prepared{Collection: noted}
	if v, ok := x.schemaOf(noted); renew || !ok || v != schema || !slices.Contains(there, noted) {
		out = Prepared{Collection: x.collectionName(time.Now()), Empty: true}
		if err := x.create(ctx, schemaFor(out.Collection)); err != nil {
			return Prepared{}, err
		}
		if readable != "" {
			if err := x.takeOver(ctx, readable, out.Collection); err != nil {
				return Prepared{}, err
			}
		}
	}
	at := place{read: readable, write: out.Collection}
	if readable == "" {
		at.read = at.write
	}
	return out, x.settleIn(ctx, &out, at, target)
}

// settleIn reads what is remembered of the collections and begins to use them. An
// alias that leads nowhere is set at once: there is nothing better to search.
func (x *Index) settleIn(ctx context.Context, out *Prepared, at place, target string) error {
	languages, count, err := x.contents(ctx, at.write)
	if err != nil {
		return err
	}
	out.Empty = out.Empty || count == 0
	if at.vectors, err = x.loadState(ctx, at.write); err != nil {
		return err
	}
	if at.searched, err = x.loadState(ctx, at.read); err != nil {
		return err
	}
	if target == "" {
		if err := x.point(ctx, at.write); err != nil {
			return err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, l := range languages {
		x.languages[l] = true
	}
	x.at = &at
	return nil
}

// Switch makes the collection that was filled the one that is searched, and removes
// the others of this index. The caller has put every document into it. It does
// nothing where no other one is in use.
func (x *Index) Switch(ctx context.Context) error {
	end, err := x.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	x.write.Lock()
	defer x.write.Unlock()
	at, err := x.now()
	if err != nil || at.alone {
		return err
	}
	target, there, err := x.look(ctx)
	if err != nil {
		return err
	}
	if target != at.write {
		if err := x.point(ctx, at.write); err != nil {
			return err
		}
	}
	x.mu.Lock()
	if x.at != nil && x.at.write == at.write {
		next := *x.at
		next.read, next.searched = next.write, next.vectors
		x.at = &next
	}
	x.mu.Unlock()
	x.turn.Lock() // until the last search of the old one has ended
	defer x.turn.Unlock()
	for _, name := range there {
		if version, ours := x.schemaOf(name); ours && version <= schema && name != at.write {
			if err := x.drop(ctx, name); err != nil {
				return err
			}
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.at != nil && x.at.write == at.write {
		next := *x.at
		next.alone = true
		x.at = &next
	}
	return nil
}

// Count gives the number of documents and passages that searches see.
func (x *Index) Count(ctx context.Context) (documents, passages int, err error) {
	end, err := x.begin(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer end()
	x.turn.RLock()
	defer x.turn.RUnlock()
	at, err := x.now()
	if err != nil {
		return 0, 0, err
	}
	replies, err := x.ask(ctx, at.read, []question{{filter: "live:=true && first:=true"}, {filter: "live:=true"}})
	if err != nil {
		return 0, 0, err
	}
	return *replies[0].Found, *replies[1].Found, nil
}
