package jsonapi

import (
	"context"
	"fmt"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// whole asks for the rest of an item and makes its document.
func (c *client) whole(ctx context.Context, l *list, id string, item any, s scope) (sdk.Document, error) {
	s.item = item
	in := item
	if l.Detail != nil {
		a, err := c.ask(ctx, &l.Detail.Request, "", item, s)
		if err != nil {
			return sdk.Document{}, err
		}
		if in = a.value; l.Detail.Item.set() {
			if in, err = l.Detail.Item.one(ctx, a.value, s); err != nil {
				return sdk.Document{}, err
			}
		}
		if in == nil {
			return sdk.Document{}, fmt.Errorf("%s: there is no item in the answer", a.url.Path)
		}
	}
	if l.Children != nil {
		var err error
		if s.children, err = c.children(ctx, l.Children, in, s); err != nil {
			return sdk.Document{}, err
		}
	}
	return l.document(ctx, id, in, s)
}

// mostChildren is how many children of one item are read.
const mostChildren = 10_000

func (c *client) children(ctx context.Context, of *pages, in any, s scope) ([]any, error) {
	out := []any{}
	w := walk{client: c, pages: of, in: in, scope: s, each: func(_ context.Context, g page) (int, error) {
		out = append(out, g.items...)
		if len(out) > mostChildren {
			return 0, sdk.TooLarge(fmt.Errorf("it has more than %d children", mostChildren))
		}
		return len(g.items), nil
	}}
	return out, w.run(ctx, w.first())
}
