package store

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestPlaceSettings(t *testing.T) {
	s := open(t, t.TempDir())
	check(t, s.PutPlaceSettings(t.Context(), "slack:T1/C2", json.RawMessage(`{"mode": "all"}`), core.FromConfig))
	check(t, s.PutPlaceSettings(t.Context(), "slack:T1/C1", json.RawMessage(`{"mode":"mention"}`), ""))
	check(t, s.PutPlaceSettings(t.Context(), "slack:T1/C1", json.RawMessage(`{"agent":"x"}`), ""))
	one := PlaceSetting{Place: "slack:T1/C1", Settings: json.RawMessage(`{"agent":"x"}`), Origin: core.FromCommand}
	two := PlaceSetting{Place: "slack:T1/C2", Settings: json.RawMessage(`{"mode":"all"}`), Origin: core.FromConfig}
	for id, want := range map[string][]PlaceSetting{"": {one, two}, "slack:T1/C1": {one}, "slack:T1/C3": nil} {
		got, err := s.PlaceSettings(t.Context(), id)
		check(t, err)
		diff(t, want, got)
	}
	for _, wrong := range []string{``, ` `, `[]`, `"x"`, `null`, `{`, `{}{}`} {
		wantKind(t, s.PutPlaceSettings(t.Context(), "slack:T1/C1", json.RawMessage(wrong), ""), core.KindInvalid)
	}
	wantKind(t, s.PutPlaceSettings(t.Context(), "C1", json.RawMessage(`{}`), ""), core.KindInvalid)
	check(t, s.RemovePlaceSettings(t.Context(), "slack:T1/C1"))
	wantKind(t, s.RemovePlaceSettings(t.Context(), "slack:T1/C1"), core.KindNotFound)
}

func TestNotePlace(t *testing.T) {
	s := open(t, t.TempDir())
	at := func(hours int) time.Time { return noon.Add(time.Duration(hours) * time.Hour) }
	steps := []struct {
		class, name string
		before      string
		want        NotedPlace
	}{
		{"public_channel", "general", "", NotedPlace{Class: "public_channel", Name: "general", Changed: at(0)}},
		{"public_channel", "general", "public_channel", NotedPlace{Class: "public_channel", Name: "general", Changed: at(0)}},
		{"public_channel", "all", "public_channel", NotedPlace{Class: "public_channel", Name: "all", Changed: at(0)}},
		{"guest_channel", "all", "public_channel", NotedPlace{Class: "guest_channel", Name: "all", Former: "public_channel", Changed: at(3)}},
		{"guest_channel", "other", "guest_channel", NotedPlace{Class: "guest_channel", Name: "other", Former: "public_channel", Changed: at(3)}},
		{"public_channel", "other", "guest_channel", NotedPlace{Class: "public_channel", Name: "other", Former: "guest_channel", Changed: at(5)}},
	}
	for i, step := range steps {
		written := changes(t, s)
		before, err := s.NotePlace(t.Context(), "slack:T1/C1", "kind", step.class, step.name, at(i))
		check(t, err)
		diff(t, step.before, before)
		if n := changes(t, s) - written; i == 1 && n != 0 {
			t.Fatalf("noting the same wrote %d rows", n)
		}
		list, err := s.NotedPlaces(t.Context())
		check(t, err)
		step.want.ID, step.want.Kind = "slack:T1/C1", "kind"
		diff(t, []NotedPlace{step.want}, list)
	}
	_, err := s.NotePlace(t.Context(), "C1", "", "", "", noon)
	wantKind(t, err, core.KindInvalid)
}
