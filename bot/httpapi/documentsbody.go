package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

const (
	maxPushed    = 10_000 // documents of a request
	mostRefusals = 3      // that an error names
)

// PushRequest is a request to push, taken apart.
type PushRequest struct {
	core.Push

	items []PushedItem // one a document; without outcome where it is in Push
	notes []string
}

// pushBody is a request of several documents.
type pushBody struct {
	Documents     []json.RawMessage `json:"documents"`
	Delete        []string          `json:"delete"`
	Complete      bool              `json:"complete"`
	AcceptDeletes bool              `json:"accept_deletes"`
}

// ReadPush takes the body of a push apart: one document, an object with several, or
// NDJSON with one document a line. A document that is not as it has to be is refused
// by itself; where none is left, or where the push was to be complete, that is the
// error. Of several with the same id the last one counts. Errors are of kind invalid
// or too_large.
func ReadPush(contentType string, raw []byte, hostAccess bool) (PushRequest, error) {
	media, _, err := mime.ParseMediaType(contentType)
	var body pushBody
	switch {
	case err == nil && media == "application/json":
		body, err = readPushJSON(raw)
	case err == nil && (media == "application/x-ndjson" || media == "application/jsonl"):
		body, err = readPushLines(raw)
	default:
		err = withStatus(http.StatusUnsupportedMediaType, core.KindInvalid,
			"The request's body must be JSON or NDJSON; send the header Content-Type: application/json or application/x-ndjson.")
	}
	if err != nil {
		return PushRequest{}, err
	}
	if n := len(body.Documents) + len(body.Delete); n > maxPushed {
		return PushRequest{}, core.Errorf(core.KindTooLarge, "The request holds %d documents; send at most %d at once.", n, maxPushed)
	}
	return gather(body, hostAccess)
}

func readPushJSON(raw []byte) (pushBody, error) {
	var keys map[string]json.RawMessage
	if err := decode(raw, &keys); err != nil {
		return pushBody{}, err
	}
	for _, key := range []string{"documents", "complete", "accept_deletes"} {
		if _, several := keys[key]; several {
			var body pushBody
			return body, decode(raw, &body)
		}
	}
	var list []string
	if json.Unmarshal(keys["delete"], &list) == nil { // a document's own "delete" is true or false
		var body pushBody
		return body, decode(raw, &body)
	}
	return pushBody{Documents: []json.RawMessage{raw}}, nil
}

func readPushLines(raw []byte) (body pushBody, err error) {
	n := 0
	for line := range bytes.Lines(raw) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var any map[string]json.RawMessage
		if err := decode(line, &any); err != nil {
			return body, core.Errorf(core.KindInvalid, "Line %d of the request's body: %w", n, err)
		}
		body.Documents = append(body.Documents, bytes.Clone(line))
	}
	return body, nil
}

// gather makes changes of documents, each id once.
func gather(body pushBody, hostAccess bool) (PushRequest, error) {
	p := PushRequest{Push: core.Push{Files: map[string][]byte{}, Complete: body.Complete, AcceptDeletes: body.AcceptDeletes}, notes: []string{}}
	changes := map[string]core.Change{}
	at := map[string]int{}
	twice, refused := 0, []string(nil)
	put := func(id string, ch core.Change, err error) {
		item := PushedItem{ID: strings.ToValidUTF8(id, "\uFFFD")}
		if err != nil {
			item.Outcome, item.Kind, item.Message = core.PushRefused, core.KindOf(err), err.Error()
			refused = append(refused, fmt.Sprintf("%q: %s", item.ID, item.Message))
		}
		if i, again := at[id]; again && id != "" {
			twice++
			p.items[i] = item
		} else {
			at[id] = len(p.items)
			p.items = append(p.items, item)
		}
		if delete(changes, id); err == nil {
			changes[id] = ch
		}
	}
	for _, raw := range body.Documents {
		ch, id, err := documentOf(raw, hostAccess, p.Files)
		put(id, ch, err)
	}
	for _, id := range body.Delete {
		put(id, core.Removal{ExternalID: id}, idProblem(id))
	}
	for _, item := range p.items {
		if ch, ok := changes[item.ID]; ok && item.Outcome == "" {
			p.Changes = append(p.Changes, ch)
		}
	}
	if twice > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%d documents came with an id that came before in the same request; the last one of each id counts.", twice))
	}
	p.Partial = len(refused) > 0
	if p.Partial && (p.Complete || len(p.Changes) == 0) {
		return p, core.Errorf(core.KindInvalid, "Nothing was pushed, because documents were refused. %s",
			strings.Join(refused[:min(len(refused), mostRefusals)], " "))
	}
	return p, nil
}

// fileRef names a file by what is in it, so that the same file again is no change.
func fileRef(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
