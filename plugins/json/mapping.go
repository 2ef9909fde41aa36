package jsonapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// id is what an item is called: known from the list alone.
func (l *list) id(ctx context.Context, item any, s scope) (string, error) {
	s.item = item
	v, err := l.Document.ID.one(ctx, item, s)
	if err != nil {
		return "", err
	}
	id := written(v)
	if id == "" {
		return "", l.Document.ID.mistake("it brings nothing, so that the item has no id")
	}
	return id, nil
}

// document makes the document of an item.
func (l *list) document(ctx context.Context, id string, in any, s scope) (sdk.Document, error) {
	m := mapper{ctx: ctx, in: in, scope: s}
	f := &l.Document
	d := sdk.Document{
		ID: id, Title: m.text(&f.Title), Body: m.text(&f.Body), MediaType: mediaType(m.text(&f.MediaType)), Kind: m.text(&f.Kind),
		URL: m.address(&f.URL), Updated: past(m.time(&f.Updated)), Created: past(m.time(&f.Created)),
		Authors: m.texts(&f.Authors), Folders: m.texts(&f.Folders), Meta: map[string]string{},
	}
	for key := range f.Meta {
		e := f.Meta[key]
		if text := strings.Join(m.texts(&e), ", "); text != "" {
			d.Meta[key] = text
		}
	}
	if tags := m.texts(&f.Tags); len(tags) > 0 {
		d.Meta["tags"] = strings.Join(tags, ", ")
	}
	access, err := f.Access.of(ctx, s)
	d.Access, m.err = access, errors.Join(m.err, err)
	switch {
	case m.err != nil:
		return sdk.Document{ID: id}, m.err // nobody reads what is known by half
	case d.Title == "" && d.Body == "":
		return sdk.Document{ID: id}, errors.New("what the system answered has neither title nor text")
	case d.Title == "":
		d.Title = id
	}
	return d, nil
}

func (a *access) set() bool {
	return a.Public.set() || a.Workspace.set() || a.Users.set() || a.Groups.set() || a.Principals.set()
}

// constant tells that the rules are the same for all items.
func (a *access) constant() bool {
	for _, e := range []*expr{&a.Public, &a.Workspace, &a.Users, &a.Groups, &a.Principals} {
		if strings.ContainsAny(e.text, ".$(") {
			return false
		}
	}
	return true
}

// of is who may read the document of an item: the union of the rules, the source's
// own access where there is none. The item is as the list has it, so that readers
// can be told without reading items one by one.
func (a *access) of(ctx context.Context, s scope) (sdk.Access, error) {
	if !a.set() {
		return sdk.HostAccess, nil
	}
	m := mapper{ctx: ctx, in: s.item, scope: s}
	out := sdk.Access{
		Public: m.yes(&a.Public), Workspace: m.yes(&a.Workspace),
		Users: m.texts(&a.Users), Groups: m.texts(&a.Groups), Principals: m.texts(&a.Principals),
	}
	if m.err != nil {
		return sdk.Access{}, m.err
	}
	return out, nil
}

// mapper runs expressions on one item and keeps the first error.
type mapper struct {
	ctx   context.Context
	in    any
	scope scope
	err   error
}

func (m *mapper) one(e *expr) any {
	if m.err != nil || !e.set() {
		return nil
	}
	v, err := e.one(m.ctx, m.in, m.scope)
	m.err = err
	return v
}

func (m *mapper) text(e *expr) string { return written(m.one(e)) }

// yes is true for true alone: a rule that brings anything else is a mistake that
// must not open anything.
func (m *mapper) yes(e *expr) bool {
	switch v := m.one(e).(type) {
	case bool:
		return v
	case nil:
		return false
	default:
		if m.err == nil {
			m.err = e.mistake("it has to bring true or false and brought " + typeOf(v))
		}
		return false
	}
}

func (m *mapper) texts(e *expr) []string {
	if m.err != nil || !e.set() {
		return nil
	}
	got, err := e.all(m.ctx, m.in, m.scope)
	m.err = err
	return texts(got)
}

func (m *mapper) time(e *expr) time.Time {
	v := m.one(e)
	t, err := readTime(v)
	if err != nil && m.err == nil {
		m.err = e.mistake(err.Error())
	}
	return t
}

// address is absolute, from the system's address on where it was not.
func (m *mapper) address(e *expr) string {
	text := m.text(e)
	if text == "" || m.err != nil {
		return ""
	}
	base, err := url.Parse(m.scope.base + "/")
	if err != nil {
		return "" // it was an address at the start
	}
	u, err := base.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		m.err = e.mistake("what it brings is no address")
		return ""
	}
	return u.String()
}

var mediaTypes = map[string]string{"": "text/markdown", "markdown": "text/markdown", "html": "text/html", "text": "text/plain"}

func mediaType(text string) string {
	if known, ok := mediaTypes[text]; ok {
		return known
	}
	return text
}

var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly, time.RFC1123Z, time.RFC1123}

// readTime reads the usual forms: RFC 3339, SQL, mail, and seconds or
// milliseconds since 1970.
func readTime(v any) (time.Time, error) {
	switch v := v.(type) {
	case nil:
		return time.Time{}, nil
	case json.Number:
		return readTime(v.String())
	case int:
		return fromUnix(float64(v)), nil
	case float64:
		return fromUnix(v), nil
	case string:
		if v == "" {
			return time.Time{}, nil
		}
		for _, layout := range layouts {
			if t, err := time.Parse(layout, v); err == nil {
				return t.UTC(), nil
			}
		}
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			return fromUnix(n), nil
		}
	}
	return time.Time{}, fmt.Errorf("what it brings is no time: %s", clip(written(v), 60))
}

// fromUnix takes numbers that would lie thousands of years ahead as milliseconds.
func fromUnix(n float64) time.Time {
	if n > 1e11 || n < -1e11 {
		return time.UnixMilli(int64(n)).UTC()
	}
	return time.UnixMilli(int64(n * 1000)).UTC()
}

// format writes the time from which on changes are wanted.
func (s since) format(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	switch s.Format {
	case "", "rfc3339":
		return t.Format(time.RFC3339)
	case "unix":
		return int(t.Unix())
	case "unix_ms":
		return int(t.UnixMilli())
	case "date":
		return t.Format(time.DateOnly)
	}
	return t.Format(s.Format)
}

// past keeps a clock that is ahead of ours from writing a time in the future.
func past(t time.Time) time.Time {
	if now := time.Now(); t.After(now) {
		return now.Truncate(time.Second)
	}
	return t
}
