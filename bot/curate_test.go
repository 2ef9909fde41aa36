package bot

import "testing"

func TestMarkValues(t *testing.T) {
	for _, mark := range []Mark{MarkUp, MarkDown, MarkHide, MarkShow} {
		id, number, got, ok := ParseMark(MarkValue("id7", 12, mark))
		if id != "id7" || number != 12 || got != mark || !ok {
			t.Errorf("%s: %s %d %s %v", mark, id, number, got, ok)
		}
	}
	for _, bad := range []string{"", "id", "id:1", "id:x:up", "id:0:up", "id:-1:hide", ":1:up", "id:1:delete", "id:1:up:more"} {
		if _, _, _, ok := ParseMark(bad); ok {
			t.Errorf("%q is taken for a mark", bad)
		}
	}
}
