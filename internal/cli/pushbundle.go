package cli

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/footnote-bot/footnote/bot/httpapi"
	"github.com/footnote-bot/footnote/core"
)

const (
	maxPushFile = 64 << 20 // bytes; larger ones are not read anyway
	// A request to a server stays below what it takes, in bytes of its body.
	requestBundle = 24 << 20
	wholeBundle   = math.MaxInt
	maxBundle     = 10_000 // documents
)

// bundle is the body of one push.
type bundle struct {
	mediaType string
	body      []byte
}

// pushBundles makes bodies of files or ids, none larger than the limit.
func (inv *invocation) pushBundles(names []string, f pushFlags, limit int) ([]bundle, error) {
	if f.batch {
		return inv.batchBundles(names, f)
	}
	if f.remove {
		body, err := json.Marshal(map[string]any{"delete": names})
		return []bundle{{"application/json", body}}, err
	}
	var out []bundle
	var documents []json.RawMessage
	size := 0
	flush := func() error {
		body, err := json.Marshal(map[string]any{"documents": append([]json.RawMessage{}, documents...), "complete": f.complete, "accept_deletes": f.acceptDeletes})
		out = append(out, bundle{"application/json", body})
		documents, size = nil, 0
		return err
	}
	for _, name := range names {
		raw, err := inv.pushedFile(name, f)
		if err != nil {
			return nil, err
		}
		if len(documents) > 0 && (size+len(raw) > limit || len(documents) >= maxBundle) {
			if f.complete {
				return nil, core.Errorf(core.KindTooLarge, "--complete: the documents are more than one request holds (%d, or %d MiB); push them in parts without it, and delete what is gone with --delete", maxBundle, requestBundle>>20)
			}
			if err := flush(); err != nil {
				return nil, err
			}
		}
		documents = append(documents, raw)
		size += len(raw)
	}
	if len(documents) > 0 || f.complete {
		if err := flush(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// batchBundles takes files as they are.
func (inv *invocation) batchBundles(names []string, f pushFlags) ([]bundle, error) {
	var out []bundle
	for _, name := range names {
		raw, err := inv.readPushed(name)
		if err != nil {
			return nil, err
		}
		b := bundle{"application/x-ndjson", raw}
		if strings.EqualFold(filepath.Ext(name), ".json") {
			b.mediaType = "application/json"
		}
		if f.complete {
			if b, err = completed(b, f.acceptDeletes); err != nil {
				return nil, err
			}
		}
		out = append(out, b)
	}
	return out, nil
}

// completed says of a batch that it is all there is.
func completed(b bundle, acceptDeletes bool) (bundle, error) {
	body := map[string]json.RawMessage{}
	if b.mediaType == "application/json" {
		if err := json.Unmarshal(b.body, &body); err != nil {
			return b, core.Errorf(core.KindInvalid, "the batch is not a JSON object: %w", err)
		}
		if _, several := body["documents"]; !several {
			return b, core.Errorf(core.KindInvalid, "--complete: the batch holds no list of documents")
		}
	} else {
		var lines []json.RawMessage
		for line := range strings.Lines(string(b.body)) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			if !json.Valid([]byte(line)) {
				return b, core.Errorf(core.KindInvalid, "line %d of the batch is not JSON", len(lines)+1)
			}
			lines = append(lines, json.RawMessage(line))
		}
		raw, err := json.Marshal(append([]json.RawMessage{}, lines...))
		if err != nil {
			return b, err
		}
		body["documents"] = raw
	}
	body["complete"] = json.RawMessage("true")
	if acceptDeletes {
		body["accept_deletes"] = json.RawMessage("true")
	}
	raw, err := json.Marshal(body)
	return bundle{"application/json", raw}, err
}

// pushedFile makes a document of a file.
func (inv *invocation) pushedFile(name string, f pushFlags) (json.RawMessage, error) {
	body, err := inv.readPushed(name)
	if err != nil {
		return nil, err
	}
	d := httpapi.PushDocument{ID: f.id, Title: f.title, URL: f.url}
	if f.access != "" {
		access, err := core.ParseAccess(f.access)
		if err != nil {
			return nil, core.Errorf(core.KindUsage, "--access: %w", err)
		}
		list := []string{}
		for _, p := range access {
			list = append(list, string(p))
		}
		d.Access = &list
	}
	if name == "-" {
		if d.ID == "" {
			return nil, core.Errorf(core.KindUsage, "standard input has no name that could be its id; give one with --id")
		}
		d.Text = strings.ToValidUTF8(string(body), "\uFFFD")
		return json.Marshal(d)
	}
	if d.ID == "" {
		d.ID = filepath.ToSlash(filepath.Clean(name))
	}
	d.File = &httpapi.PushFile{Name: filepath.Base(name), Base64: base64.StdEncoding.EncodeToString(body)}
	return json.Marshal(d)
}

// readPushed reads a file, or standard input for "-".
func (inv *invocation) readPushed(name string) ([]byte, error) {
	in := inv.streams.In
	if name != "-" {
		file, err := os.Open(inv.path(name))
		if err != nil {
			return nil, core.Errorf(core.KindNotFound, "%s cannot be read: %w", name, err)
		}
		defer file.Close()
		in = file
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxPushFile+1))
	switch {
	case err != nil:
		return nil, core.Errorf(core.KindInvalid, "%s cannot be read: %w", name, err)
	case len(raw) > maxPushFile:
		return nil, core.Errorf(core.KindTooLarge, "%s is larger than %d MiB; split it, or push its title alone with --batch", name, maxPushFile>>20)
	}
	return raw, nil
}
