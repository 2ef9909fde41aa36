package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// shelvesConnector is a connector of the test binary: it has the documents of all
// shelves, in one folder, and tells who may read them by itself.
const shelvesConnector = "shelves"

// shelvesWorld is what the connector's system says.
type shelvesWorld struct {
	Member bool // Bob is in the group
	Reads  bool // the group reads the documents
	Folder bool // and that is told of their folder, not of each
}

func (w shelvesWorld) access() sdk.Access {
	a := sdk.Access{Users: []string{ann}}
	if w.Reads {
		a.Groups = []string{"team"}
	}
	return a
}

type shelvesSource struct {
	World string `required:"true" help:"file with what the system says"`
}

func serveShelves() { sdk.Serve(shelvesConnector, "1", func() sdk.Source { return &shelvesSource{} }) }

func (s *shelvesSource) world() (w shelvesWorld, err error) {
	raw, err := os.ReadFile(s.World)
	if err == nil {
		err = json.Unmarshal(raw, &w)
	}
	return w, err
}

func (s *shelvesSource) Sync(_ context.Context, _ sdk.Cursor, out *sdk.Out) error {
	w, err := s.world()
	for n := 0; n < shelves*perShelf && err == nil; n++ {
		err = out.Document(sdk.Document{ID: shelvedID(n), Body: shelvedText(n), MediaType: "text/plain",
			Folders: []string{"room"}, Access: w.access()})
	}
	if err != nil {
		return err
	}
	return out.Checkpoint(sdk.Cursor("all"))
}

func (s *shelvesSource) Grants(_ context.Context, _ sdk.Cursor, out *sdk.Grants) error {
	w, err := s.world()
	if err != nil {
		return err
	}
	team := sdk.Group{Name: "team"}
	if w.Member {
		team.Users = []string{bob}
	}
	if err := out.Group(team); err != nil {
		return err
	}
	if w.Folder {
		if err := out.Folder("room", w.access()); err != nil {
			return err
		}
		return out.AllFolders()
	}
	for n := 0; n < shelves*perShelf && err == nil; n++ {
		err = out.Document(shelvedID(n), w.access())
	}
	return err
}

// worldFile is the file that a connector of a test looks into.
type worldFile string

func (f worldFile) tell(t *testing.T, w shelvesWorld) {
	t.Helper()
	raw, err := json.Marshal(w)
	if err == nil {
		err = os.WriteFile(string(f), raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// addShelves installs the connector and adds it as the source desk, open to Bob.
func (s *shut) addShelves() worldFile {
	s.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	world := worldFile(filepath.Join(s.dir, "world.json"))
	world.tell(s.t, shelvesWorld{Member: true, Reads: true})
	// A connector gets no variables of its host's, and has to have as many documents.
	writeTestFile(s.t, filepath.Join(s.dir, shelvesConnector), fmt.Sprintf("#!/bin/sh\n%s='%s' exec '%s' serve-plugin desk %s\n",
		soakEnv, os.Getenv(soakEnv), exe, shelvesConnector), 0o700)
	s.must("plugin", "install", shelvesConnector, "--yes")
	s.must("source", "add", shelvesConnector, "--name", "desk", "--set", "world="+string(world))
	return world
}
