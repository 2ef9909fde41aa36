package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/internal/cli/config"
	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// deskConnector is a connector of the test binary with every optional part. What
// it says stands in a file that tests write.
const deskConnector = "desk"

// dieNow is the end of the name of a file beside the world.
const dieNow = ".die"

// deskWorld is what the connector's system holds.
type deskWorld struct {
	Documents []deskDocument
	Groups    []sdk.Group
	NoGrants  bool // who may read what cannot be told
	DieAfter  int  // groups, where it is not 0, and once the file dieNow is there
	Hits      []deskDocument
	Late      time.Duration // of a live search
	NoSearch  bool
	Drop      []string // ids that the censor drops
	NoCensor  bool     // it fails
	Tools     []string // read, write, bad, odd
}

type deskDocument struct {
	ID, Title, Text string
	Groups, Users   []string
	Public          bool
}

func (d deskDocument) document() sdk.Document {
	return sdk.Document{ID: d.ID, Title: d.Title, Body: d.Text, MediaType: "text/plain", URL: "https://desk.example.com/" + d.ID,
		Access: sdk.Access{Groups: d.Groups, Users: d.Users, Public: d.Public}}
}

type desk struct {
	World string `required:"true" help:"file with everything that the system holds"`
}

func serveDesk() {
	if slices.Contains(os.Args, shelvesConnector) {
		serveShelves()
		return
	}
	sdk.Serve(deskConnector, "1", func() sdk.Source { return &desk{} })
}

func (d *desk) world() (w deskWorld, err error) {
	raw, err := os.ReadFile(d.World)
	if err == nil {
		err = json.Unmarshal(raw, &w)
	}
	return w, err
}

func (d *desk) Sync(_ context.Context, _ sdk.Cursor, out *sdk.Out) error {
	w, err := d.world()
	if err != nil {
		return err
	}
	for _, one := range w.Documents {
		if err := out.Document(one.document()); err != nil {
			return err
		}
	}
	return out.Checkpoint(sdk.Cursor("all"))
}

func (d *desk) Grants(_ context.Context, since sdk.Cursor, out *sdk.Grants) error {
	w, err := d.world()
	switch {
	case err != nil:
		return err
	case w.NoGrants:
		return sdk.Denied(errors.New("the directory is closed"))
	}
	for i, g := range w.Groups {
		if w.DieAfter > 0 && i == w.DieAfter {
			for _, err := os.Stat(d.World + dieNow); err != nil; _, err = os.Stat(d.World + dieNow) {
				time.Sleep(10 * time.Millisecond)
			}
			os.Exit(9)
		}
		if err := out.Group(g); err != nil {
			return err
		}
	}
	for _, one := range w.Documents {
		if err := out.Document(one.ID, one.document().Access); err != nil {
			return err
		}
	}
	return nil
}

func (d *desk) Search(ctx context.Context, q sdk.Query) ([]sdk.Hit, error) {
	w, err := d.world()
	if err != nil || w.NoSearch {
		return nil, errors.Join(err, errors.New("no search today"))
	}
	select {
	case <-time.After(w.Late):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var out []sdk.Hit
	for _, one := range w.Hits {
		doc := one.document()
		doc.Body = ""
		out = append(out, sdk.Hit{Document: doc, Snippet: one.Text + " (" + q.Viewer.Email + ")", Score: 1})
	}
	return out, nil
}

func (d *desk) Censor(_ context.Context, _ sdk.Caller, passages []sdk.Passage) ([]sdk.Verdict, error) {
	w, err := d.world()
	if err != nil || w.NoCensor {
		return nil, errors.Join(err, errors.New("no censor today"))
	}
	out := make([]sdk.Verdict, len(passages))
	for i, p := range passages {
		if !slices.Contains(w.Drop, p.Document) {
			out[i] = sdk.Keep()
		}
	}
	return out, nil
}

func (d *desk) Tools() []sdk.Tool {
	w, err := d.world()
	if err != nil {
		return nil
	}
	var out []sdk.Tool
	for _, name := range w.Tools {
		t := sdk.NewTool(name, "Reads the desk.", func(_ context.Context, who sdk.Caller, in struct {
			Key string `required:"true" help:"which one"`
		}) (sdk.Answer, error) {
			if in.Key == "nothing" {
				return sdk.Answer{}, sdk.Invalid(errors.New("there is no such key"))
			}
			answer := sdk.Answer{Value: fmt.Sprintf("%s of %s for %s", name, in.Key, who.Email)}
			for _, one := range w.Documents {
				if one.ID == in.Key {
					answer.Documents = append(answer.Documents, one.document())
				}
			}
			return answer, nil
		})
		switch {
		case name == "write":
			t = t.ThatChanges()
		case strings.HasPrefix(name, "bad"):
			t.Schema = json.RawMessage(`{"type":"array"}`)
		}
		out = append(out, t)
	}
	return out
}

// listedDesk is the source as the configuration file lists it.
func listedDesk(allowed ...string) config.Source {
	return config.Source{Name: "desk", Connector: deskConnector, AllowTools: allowed}
}
