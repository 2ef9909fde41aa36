package typesense

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/typesense/typesense-go/v2/typesense"
	"github.com/typesense/typesense-go/v2/typesense/api"

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

// look finds where the alias leads, "" if nowhere, and the collections that exist.
func (x *Index) look(ctx context.Context) (target string, there []string, err error) {
	asked := ctx
	ctx, cancel := x.limited(ctx, 2)
	defer cancel()
	collections, err := x.client.Collections().Retrieve(ctx)
	if err != nil {
		return "", nil, x.failure(asked, err)
	}
	for _, c := range collections {
		there = append(there, c.Name)
	}
	alias, err := x.client.Alias(x.name).Retrieve(ctx)
	switch {
	case missing(err):
		return "", there, nil
	case err != nil:
		return "", nil, x.failure(asked, err)
	}
	return alias.CollectionName, there, nil
}

// missing tells that the server knows no such thing.
func missing(err error) bool {
	var refused *typesense.HTTPError
	return errors.As(err, &refused) && refused.Status == http.StatusNotFound
}

func (x *Index) create(ctx context.Context, s *api.CollectionSchema) error {
	asked := ctx
	ctx, cancel := x.limited(ctx, 2)
	defer cancel()
	_, err := x.client.Collections().Create(ctx, s)
	return x.failure(asked, err)
}

func (x *Index) drop(ctx context.Context, collection string) error {
	asked := ctx
	ctx, cancel := x.limited(ctx, slower)
	defer cancel()
	_, err := x.client.Collection(collection).Delete(ctx)
	if missing(err) {
		return nil
	}
	return x.failure(asked, err)
}

func (x *Index) point(ctx context.Context, collection string) error {
	asked := ctx
	ctx, cancel := x.limited(ctx, 1)
	defer cancel()
	_, err := x.client.Aliases().Upsert(ctx, x.name, &api.CollectionAliasSchema{CollectionName: collection})
	return x.failure(asked, err)
}

// contents tells in which languages a collection's documents are, and how many
// records it holds.
func (x *Index) contents(ctx context.Context, collection string) (languages []string, records int, err error) {
	replies, err := x.ask(ctx, collection, []question{{facet: "language"}})
	if err != nil {
		return nil, 0, err
	}
	for _, f := range replies[0].Facets {
		for _, c := range f.Counts {
			languages = append(languages, c.Value)
		}
	}
	return languages, *replies[0].Found, nil
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

// Clear removes all that the index keeps on the cluster.
func (x *Index) Clear(ctx context.Context) error {
	x.write.Lock()
	defer x.write.Unlock()
	_, there, err := x.look(ctx)
	if err != nil {
		return err
	}
	for _, name := range there {
		if _, ours := x.schemaOf(name); ours || name == x.stateCollection() {
			if err := x.drop(ctx, name); err != nil {
				return err
			}
		}
	}
	x.forgetReady()
	asked := ctx
	ctx, cancel := x.limited(ctx, 1)
	defer cancel()
	if _, err = x.client.Alias(x.name).Delete(ctx); missing(err) {
		return nil
	}
	return x.failure(asked, err)
}
