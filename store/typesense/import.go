package typesense

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/typesense/typesense-go/v2/typesense"
	"github.com/typesense/typesense-go/v2/typesense/api"

	"github.com/footnote-bot/footnote/core"
)

// erase deletes what passes a filter.
func (x *Index) erase(ctx context.Context, collection, filter string) error {
	asked := ctx
	ctx, cancel := x.limited(ctx, slower)
	defer cancel()
	_, err := x.client.Collection(collection).Documents().Delete(ctx, &api.DeleteDocumentsParams{FilterBy: &filter})
	return x.failure(asked, err)
}

// send imports lines. Each line has an answer of its own, which may be a refusal
// while the request as a whole went well.
func (x *Index) send(ctx context.Context, collection, action string, lines [][]byte) error {
	for len(lines) > 0 {
		n, size := 0, 0
		for n < len(lines) && n < importRecords && (n == 0 || size+len(lines[n]) < importBytes) {
			size += len(lines[n])
			n++
		}
		if err := x.sendOnce(ctx, collection, action, lines[:n]); err != nil {
			return err
		}
		lines = lines[n:]
	}
	return nil
}

func (x *Index) sendOnce(ctx context.Context, collection, action string, lines [][]byte) (err error) {
	asked := ctx
	ctx, cancel := x.limited(ctx, 2)
	defer cancel()
	batch := len(lines)
	body, err := x.client.Collection(collection).Documents().ImportJsonl(ctx, bytes.NewReader(bytes.Join(lines, []byte("\n"))),
		&api.ImportDocumentsParams{Action: &action, BatchSize: &batch})
	if err != nil {
		return x.failure(asked, err)
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	answers, refused, first := 0, 0, api.ImportDocumentResponse{}
	for d := json.NewDecoder(body); ; answers++ {
		var one api.ImportDocumentResponse
		if err := d.Decode(&one); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return x.failure(asked, err)
		}
		if !one.Success {
			if refused++; refused == 1 {
				first = one
			}
		}
	}
	switch {
	case refused > 0:
		return x.refusedLines(refused, len(lines), first.Error)
	case answers != len(lines):
		return core.Errorf(core.KindUnavailable, "Typesense at %s answered for %d of %d records; they are sent again.", x.where, answers, len(lines))
	}
	return nil
}

func (x *Index) refusedLines(refused, all int, reason string) error {
	said, _ := json.Marshal(map[string]string{"message": reason}) //nolint:errcheck // strings always are
	err := x.refusal(&typesense.HTTPError{Status: statusOf(reason), Body: said})
	x.log.Error("Typesense refused records", "refused", refused, "records", all, "error", err)
	return err
}

// statusOf tells what a refused line would have been as a response: lack of room and
// a cluster that takes no writes pass by, a record of the wrong form does not.
func statusOf(reason string) int {
	for _, passing := range []string{"resource", "OUT_OF", "Rejecting write", "read-only", "read only", "not ready", "lagging"} {
		if strings.Contains(strings.ToLower(reason), strings.ToLower(passing)) {
			return 503
		}
	}
	switch {
	case strings.Contains(reason, "Could not find a document"):
		return 409 // it left meanwhile
	case reason == "":
		return 502 // that was no Typesense
	}
	return 400
}
