package typesense

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/typesense/typesense-go/v2/typesense"

	"github.com/footnote-bot/footnote/core"
)

// failure turns what went wrong into an error for people. Nothing of it holds text
// of documents, and keys travel in headers only.
func (x *Index) failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var known *core.Error
	if errors.As(err, &known) {
		return err
	}
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled) {
		return core.Wrap(core.KindCancelled, err, "The search was stopped.")
	}
	var refused *typesense.HTTPError
	if errors.As(err, &refused) {
		return x.refusal(refused)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return core.Wrap(core.KindUnavailable, err,
			"Typesense at "+x.where+" did not answer in time. Look at its load, or give it longer with index.timeout.")
	}
	return core.Wrap(core.KindUnavailable, err,
		"Typesense at "+x.where+" cannot be reached. Start it, or set index.url to where it is.")
}

// refusal reads the answer of a server that does not do what it was asked.
func (x *Index) refusal(r *typesense.HTTPError) error {
	at := "Typesense at " + x.where
	switch r.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return core.Wrap(core.KindAuth, r, at+" refused the key. Set index.api_key to a key that may read and write "+x.name+" and its collections and aliases.")
	case http.StatusNotFound:
		x.forgetReady()
		return core.Wrap(core.KindUnavailable, r, at+" has lost the collection of "+x.name+". It is made and filled again by footnote serve, or by footnote reindex.")
	case http.StatusBadRequest:
		return core.Wrap(core.KindInternal, r, at+" refused a request: "+said(r.Body)+". It may be of a version that Footnote does not know.")
	case http.StatusTooManyRequests:
		return core.Wrap(core.KindBusy, r, at+" asks for fewer requests: "+said(r.Body)+".")
	}
	return core.Wrap(core.KindUnavailable, r, at+" cannot do it now: "+said(r.Body)+". Look at the disk, the memory and the log of its nodes; what was to be written is written once it can.")
}

// mostSaid bounds what is repeated of a server's own words.
const mostSaid = 160

// said is the server's message as one line, without what it quotes of requests.
func said(body []byte) string {
	var m struct{ Message, Error string }
	if json.Unmarshal(body, &m) != nil {
		return "it gave no reason"
	}
	text := strings.Join(strings.Fields(m.Message+" "+m.Error), " ")
	text, _, _ = strings.Cut(text, "`")
	text = strings.TrimRight(strings.TrimSpace(text), ".:")
	if len(text) > mostSaid {
		text = strings.ToValidUTF8(text[:mostSaid], "") + "…"
	}
	if text == "" {
		return "it gave no reason"
	}
	return text
}
