// Command scaled is a connector that sends as many made-up documents as it is told
// to, so that what a sync costs is Footnote's own.
package main

import (
	"cmp"
	"context"
	"strconv"

	"github.com/footnote-bot/footnote/core/eval"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// between is how many documents lie between checkpoints.
const between = 1000

type documents struct {
	Count int `required:"true" help:"how many documents there are"`
	First int `help:"number of the first one"`
}

// Sync sends what comes after the number in the cursor. Two of five documents may
// be read by members.
func (d *documents) Sync(_ context.Context, since sdk.Cursor, out *sdk.Out) error {
	sent, err := strconv.Atoi(cmp.Or(string(since), "0"))
	if err != nil {
		return err
	}
	made := eval.NewScale(1)
	for sent < d.Count {
		for range min(between, d.Count-sent) {
			if err := out.Document(document(made, d.First+sent)); err != nil {
				return err
			}
			sent++
		}
		if err := out.Checkpoint(sdk.Cursor(strconv.Itoa(sent))); err != nil {
			return err
		}
	}
	return nil
}

func document(made *eval.Scale, i int) sdk.Document {
	one, readers := made.Document(i), sdk.Workspace
	if i%5 > 1 {
		readers = sdk.Access{Users: []string{"boss@scale.test"}}
	}
	return sdk.Document{
		ID: strconv.Itoa(i), Title: one.Title, Body: one.Passages[0].Text, MediaType: "text/plain", Kind: "page", Access: readers,
	}
}

func main() { sdk.Serve("scaled", "1.0.0", func() sdk.Source { return &documents{} }) }
