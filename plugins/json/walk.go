package jsonapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// position is where in a list a page is.
type position struct {
	N    int    `json:"n,omitempty"` // number or offset of the page
	Next string `json:"x,omitempty"` // cursor or address
}

// page is one page of a list.
type page struct {
	at     position
	items  []any
	prints []uint64  // of the items, to tell pages apart
	when   time.Time // by the system's clock
	again  bool      // it was read before, and is looked at once more
}

// walk reads a list page by page.
type walk struct {
	client *client
	pages  *pages
	in     any // what templates see as .
	scope  scope
	// each takes a page and tells how many of its items are new. It may end the walk
	// with errEnough.
	each func(context.Context, page) (fresh int, err error)
	// looks makes it look back: where pages are numbered, and something is deleted
	// meanwhile, what follows moves to a page that was read already.
	looks bool
}

// errEnough ends a walk without an error.
var errEnough = errors.New("enough")

// mostPages is how long a list may be.
const mostPages = 100_000

func (w *walk) numbered() bool {
	return w.pages.Paging.Kind == "page" || w.pages.Paging.Kind == "offset"
}

func (w *walk) first() position {
	if w.numbered() {
		return position{N: w.pages.Paging.First}
	}
	return position{}
}

// run reads from a position on to the end.
func (w *walk) run(ctx context.Context, at position) error {
	met, before := map[string]bool{}, []position(nil)
	var last []uint64
	for n := 0; ; n++ {
		if n == mostPages {
			return fmt.Errorf("the list has more than %d pages: does it end?", mostPages)
		}
		p, next, err := w.read(ctx, at)
		if w.ended(err, n) {
			return w.lookBack(ctx, before)
		}
		if err != nil {
			return err
		}
		if len(p.prints) > 0 && slices.Equal(p.prints, last) {
			return fmt.Errorf("%s brought the same items twice in a row: the system does not know the way in which the recipe asks for the next page", where(at))
		}
		last = p.prints
		if _, err := w.each(ctx, p); err != nil {
			return enough(err)
		}
		if err := w.lookBack(ctx, before); err != nil {
			return enough(err)
		}
		if next == nil {
			return nil
		}
		if next.Next != "" {
			if met[next.Next] {
				return errors.New("the system leads in a circle: what it names as the next page was read already")
			}
			met[next.Next] = true
		}
		before, at = append(before, at), *next
	}
}

func enough(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// ended tells that an error is how the system says that there is no such page.
func (w *walk) ended(err error, n int) bool {
	var status *statusError
	return n > 0 && errors.As(err, &status) && slices.Contains(w.pages.Paging.EndStatus, status.code)
}

// lookBack reads the page before once more, and those before that as long as there
// is something new on them.
func (w *walk) lookBack(ctx context.Context, before []position) error {
	if !w.looks || !w.numbered() {
		return nil
	}
	got := w.scope.got
	defer func() { w.scope.got = got }()
	for _, at := range slices.Backward(before) {
		p, _, err := w.read(ctx, at)
		if err != nil {
			return err
		}
		p.again = true
		fresh, err := w.each(ctx, p)
		if err != nil || fresh == 0 {
			return err
		}
	}
	return nil
}

// where names a page for people.
func where(at position) string {
	if at.Next != "" {
		return "a page"
	}
	return fmt.Sprintf("the page at %d", at.N)
}

// read asks for one page and tells where the next one is, nil if there is none.
func (w *walk) read(ctx context.Context, at position) (page, *position, error) {
	s, address := w.scope, ""
	switch {
	case w.numbered():
		s.page = at.N
	case w.pages.Paging.Kind == "cursor" && at.Next != "":
		s.page = at.Next
	default:
		address = at.Next
	}
	a, err := w.client.ask(ctx, &w.pages.Request, address, w.in, s)
	if err != nil {
		return page{}, nil, err
	}
	items, err := w.items(ctx, a, s)
	if err != nil {
		return page{}, nil, err
	}
	w.scope.got = s.got + len(items)
	s.got = w.scope.got
	p := page{at: at, items: items, when: a.at()}
	for _, item := range items {
		p.prints = append(p.prints, printOf(encoded(item)))
	}
	next, err := w.next(ctx, at, a, len(items), s)
	return p, next, err
}

// items are what the answer holds. That there is nothing where they should be is
// an error and no empty list: it would delete all documents.
func (w *walk) items(ctx context.Context, a *answer, s scope) ([]any, error) {
	v, err := w.pages.Items.one(ctx, a.value, s)
	if err != nil {
		return nil, err
	}
	items, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("%s: the answer has no list of items: %w", a.url.Path, w.pages.Items.mistake("it has to bring an array and brought "+typeOf(v)))
	}
	return items, nil
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case string:
		return "a text"
	case bool:
		return "true or false"
	}
	return "a number"
}

// statusError keeps the status of a refused request.
type statusError struct {
	code int
	error
}

func (e *statusError) Unwrap() error { return e.error }

func statusOf(resp *http.Response) error {
	err := sdk.StatusError(resp)
	if err == nil {
		return nil
	}
	return &statusError{code: resp.StatusCode, error: err}
}
