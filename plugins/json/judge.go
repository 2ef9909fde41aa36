package jsonapi

import (
	"context"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// one is an item on its way to become a document.
type one struct {
	id    string
	item  any
	gone  bool
	old   bool // it was sent as it is
	early bool // it lies before what was asked for
	doc   sdk.Document
	err   error
}

// judge decides by the list alone what is to be done with an item.
func (p *pass) judge(ctx context.Context, id string, item any, s scope) (one, error) {
	o := one{id: id, item: item}
	s.item = item
	skip, err := p.list.Skip.one(ctx, item, s)
	if err != nil {
		return o, err
	}
	removed, err := p.list.Removed.one(ctx, item, s)
	if err != nil {
		return o, err
	}
	o.gone = truthy(removed) || truthy(skip)
	v, err := p.list.Since.Field.one(ctx, item, s)
	if err != nil {
		return o, err
	}
	changed, err := readTime(v)
	if err != nil {
		return o, p.list.Since.Field.mistake(err.Error())
	}
	o.old = !changed.IsZero() && changed.Before(p.done)
	o.early = !changed.IsZero() && changed.Before(p.since)
	return o, nil
}
