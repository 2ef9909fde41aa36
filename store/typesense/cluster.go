package typesense

import (
	"context"
	"errors"
	"net/http"

	"github.com/typesense/typesense-go/v2/typesense"
	"github.com/typesense/typesense-go/v2/typesense/api"
)

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
