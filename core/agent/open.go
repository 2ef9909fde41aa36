package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/prompts"
)

// Opener reads the passages of each window, by ordinal; none of a document that the
// query's filter does not allow now. *find.Finder implements it.
type Opener interface {
	Around(ctx context.Context, q Query, windows []core.Window) ([][]core.Result, error)
}

const (
	openedPassages = 12 // read where the call does not say how many
	mostOpened     = 40
)

// openTool is open_document.
type openTool struct{ opener Opener }

func (o openTool) Spec() Spec {
	schema := json.RawMessage(`{"type":"object","properties":{` +
		`"document":{"type":["integer","string"],"description":` + quoted(prompts.OpenWhich()) + `},` +
		`"from":{"type":"integer","minimum":0,"description":"First passage to read, from 0. Default 0."},` +
		fmt.Sprintf(`"count":{"type":"integer","minimum":1,"maximum":%d,"description":"How many passages to read. Default %d."}`, mostOpened, openedPassages) +
		`},"required":["document"],"additionalProperties":false}`)
	return Spec{
		Tool:    model.Tool{Name: "open_document", Description: prompts.OpenTool(), Schema: schema},
		Guide:   prompts.OpenGuide(),
		Example: `{"document": 2, "from": 0}`,
		Cites:   true,
	}
}

func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(raw)
}

// Run tells the same of a document that is not there and of one that this
// audience may not read.
func (o openTool) Run(ctx context.Context, call Call) (Result, error) {
	in := struct {
		Document    json.RawMessage
		From, Count int
	}{}
	if err := json.Unmarshal(call.Arguments, &in); err != nil {
		return Result{}, core.Errorf(core.KindInvalid, `"document" must be a number or an id, "from" and "count" whole numbers`)
	}
	id, err := whichDocument(in.Document, call.Document)
	if err != nil {
		return Result{}, err
	}
	if in.Count <= 0 {
		in.Count = openedPassages
	}
	in.From, in.Count = min(max(in.From, 0), 1<<30), min(in.Count, mostOpened)
	// One more than asked for tells whether the document goes on.
	read, err := o.opener.Around(ctx, query(call.Question, nil, call.Filter, 0), []core.Window{{Document: id, From: in.From, To: in.From + in.Count}})
	if err != nil {
		return Result{}, err
	}
	found := read[0]
	switch {
	case len(found) == 0 && in.From > 0:
		return Result{Text: prompts.NothingThere(in.From)}, nil
	case len(found) == 0:
		return Result{Text: prompts.NoDocument()}, nil
	}
	note := ""
	if last := found[len(found)-1]; last.Passage.Ordinal >= in.From+in.Count {
		found = found[:len(found)-1]
		note = prompts.GoesOn(in.From + in.Count)
	}
	return Result{Documents: found, Note: note}, nil
}

// whichDocument reads a number of this turn, also written as text, or an id.
func whichDocument(raw json.RawMessage, byNumber func(int) (string, bool)) (string, error) {
	var number int
	var id string
	if json.Unmarshal(raw, &number) != nil {
		if json.Unmarshal(raw, &id) != nil || strings.TrimSpace(id) == "" {
			return "", core.Errorf(core.KindInvalid, `the field "document" must be a document's number or its id`)
		}
		if _, err := fmt.Sscanf(strings.Trim(id, " []"), "%d", &number); err != nil || itoa(number) != strings.Trim(id, " []") {
			return strings.TrimSpace(id), nil
		}
	}
	if found, ok := byNumber(number); ok {
		return found, nil
	}
	return "", core.Errorf(core.KindInvalid, "no document of this turn has the number %d", number)
}
