package access

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

// audienceCase is one line of a case file: where is asked, by whom, and who can
// read the reply. Facts that a line leaves out are not known.
type audienceCase struct {
	Name      string           `json:"name"`
	Place     placeCase        `json:"place"`
	Asker     askerCase        `json:"asker"`
	AskerHas  []core.Principal `json:"asker_acl"`
	ChannelOf []core.Principal `json:"channel_acl"`
	Want      audienceWant     `json:"want"`
	Note      string           `json:"note"`
}

type placeCase struct {
	Kind         string             `json:"kind"`
	Name         string             `json:"name"`
	Team         string             `json:"team"`
	Workspace    string             `json:"workspace"`
	WorkspaceID  string             `json:"workspace_id"`
	Home         bool               `json:"home"`
	Own          []core.Principal   `json:"own"`
	ChannelOf    []core.Principal   `json:"channel_acl"`
	Members      [][]core.Principal `json:"members"`
	Copies       int                `json:"member_copies"` // how often the last member is repeated
	Intersection bool               `json:"intersection"`
	External     bool               `json:"external"`
	Allowed      bool               `json:"allowed"`
	Enabled      bool               `json:"enabled"`
	Parent       string             `json:"parent"`
	Grants       []grantCase        `json:"grants"`
	Collections  []grantCase        `json:"collections"`
	Within       []grantCase        `json:"within"`
}

type askerCase struct {
	Principals []core.Principal  `json:"principals"`
	AskerHas   []core.Principal  `json:"asker_acl"`
	Class      core.AccountClass `json:"class"`
	Bypass     bool              `json:"bypass"`
	Linked     *bool             `json:"linked"`
	Email      string            `json:"email"`
}

// grantCase is a collection by its name, alone or with its reach.
type grantCase struct {
	Name      string `json:"name"`
	External  bool   `json:"external"`
	Outsiders bool   `json:"outsiders"`
}

func (g *grantCase) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, &g.Name)
	}
	type plain grantCase
	return strict(b, (*plain)(g))
}

type audienceWant struct {
	Class      string             `json:"class"`
	Principals *[]core.Principal  `json:"principals"`
	Grants     json.RawMessage    `json:"grants"` // whether any count, or which
	Link       *map[string]string `json:"link"`
	Sources    *string            `json:"sources"`
	Readers    *int               `json:"readers"`
	AskerOnly  *bool              `json:"asker_only"`
	Silent     *bool              `json:"silent"`
	Bypass     *bool              `json:"bypass"`
	Within     *[]string          `json:"within"`
}

var (
	showNames = map[core.Show]string{core.ShowLink: "link", core.ShowNumber: "number", core.ShowNothing: "nothing"}
	listNames = map[core.SourceList]string{core.ListFull: "full", core.ListTitles: "titles", core.ListNone: "none"}
)

func TestAudienceCases(t *testing.T) {
	files, err := filepath.Glob("testdata/audiences/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range bytes.Split(text, []byte("\n")) {
			if len(bytes.TrimSpace(line)) > 0 {
				runAudienceCase(t, fmt.Sprintf("%s:%d", filepath.Base(file), n+1), line)
			}
		}
	}
}

func runAudienceCase(t *testing.T, where string, line []byte) {
	var row audienceCase
	err := strict(line, &row)
	t.Run(row.Name, func(t *testing.T) {
		if err != nil || row.Name == "" || row.Want.Class == "" {
			t.Fatalf("%s: a row needs name and want.class and no other keys than known: %v", where, err)
		}
		place, err := row.place()
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		viewer, err := row.viewer()
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		if diff := row.Want.diff(t, Audience(place, viewer)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", where, diff)
		}
	})
}

func strict(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// kindOf reads a kind of a case. No kind, and one that this version does not
// have, are written as "" and "tomorrow".
func kindOf(s string) (core.PlaceKind, error) {
	k := core.PlaceKind(s)
	if _, ok := width[k]; ok || k == "" || k == core.PlaceAskedByMachine || s == "tomorrow" {
		return k, nil
	}
	return "", fmt.Errorf("%q is no kind of place", s)
}

func (row audienceCase) place() (core.Place, error) {
	p := row.Place
	kind, err := kindOf(p.Kind)
	if err != nil {
		return core.Place{}, err
	}
	parent, err := kindOf(p.Parent)
	if err != nil {
		return core.Place{}, err
	}
	for range p.Copies {
		p.Members = append(p.Members, p.Members[len(p.Members)-1])
	}
	place := core.Place{
		ID: "test:x/1", Kind: kind, Parent: parent, Home: p.Home, Team: p.Team + p.Workspace + p.WorkspaceID,
		Own:     slices.Concat(p.Own, p.ChannelOf, row.ChannelOf),
		Members: p.Members, Intersection: p.Intersection, External: p.External || p.Allowed || p.Enabled,
	}
	for _, g := range p.Grants {
		place.Granted = append(place.Granted, core.Grantee{Collection: g.collection(), Outsiders: g.External || g.Outsiders})
	}
	if p.Collections != nil || p.Within != nil {
		place.Within = []core.Collection{}
	}
	for _, c := range slices.Concat(p.Collections, p.Within) {
		place.Within = append(place.Within, c.collection())
	}
	return place, nil
}

func (g grantCase) collection() core.Collection {
	return core.Collection{Name: g.Name, Sources: []string{g.Name}}
}

func (row audienceCase) viewer() (core.Viewer, error) {
	a := row.Asker
	switch a.Class {
	case core.AccountUnknown, core.AccountMember, core.AccountGuest, core.AccountExternal, core.AccountBot, core.AccountDeactivated:
	default:
		return core.Viewer{}, fmt.Errorf("%q is no class of account", a.Class)
	}
	v := core.Viewer{Email: a.Email, Class: a.Class, Bypass: a.Bypass}
	if a.Linked == nil || *a.Linked {
		v.Principals = slices.Concat(a.Principals, a.AskerHas, row.AskerHas)
	}
	return v, nil
}

func (want audienceWant) diff(t *testing.T, got core.Audience) string {
	t.Helper()
	wanted, seen := map[string]any{"class": want.Class}, map[string]any{"class": got.Class}
	check := func(key string, w, g any) { wanted[key], seen[key] = w, g }
	if want.Principals != nil {
		check("principals", withPublic(*want.Principals), withPublic(got.Principals))
	}
	names := namesOf(got.Granted)
	switch text := strings.TrimSpace(string(want.Grants)); text {
	case "":
	case "true", "false":
		check("grants", text == "true", len(names) > 0)
	default:
		var list []string
		if err := json.Unmarshal(want.Grants, &list); err != nil {
			t.Fatal(err)
		}
		check("grants", list, names)
	}
	if want.Link != nil {
		all := map[string]string{
			"public": showNames[got.Links.Public], "workspace": showNames[got.Links.Workspace], "restricted": showNames[got.Links.Restricted],
		}
		for key, w := range *want.Link {
			check("link "+key, w, all[key])
		}
	}
	if want.Sources != nil {
		check("sources", *want.Sources, listNames[got.List])
	}
	if want.Readers != nil {
		check("readers", *want.Readers, len(got.Readers))
	}
	for key, pair := range map[string]struct {
		want *bool
		got  bool
	}{"asker_only": {want.AskerOnly, got.AskerOnly}, "silent": {want.Silent, got.Silent}, "bypass": {want.Bypass, got.Bypass}} {
		if pair.want != nil {
			check(key, *pair.want, pair.got)
		}
	}
	if want.Within != nil {
		check("within", *want.Within, namesOf(got.Within))
		check("within is on", true, got.Within != nil)
	}
	return cmp.Diff(wanted, seen)
}

func namesOf(list []core.Collection) []string {
	out := []string{}
	for _, c := range list {
		out = append(out, c.Name)
	}
	return out
}
