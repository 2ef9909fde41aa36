package slacktest

import (
	"cmp"
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// page cuts a list by cursor and limit. The cursor of the next page is empty
// after the last one.
func page[T any](c *call, list []T, normal, most int) ([]T, string, error) {
	start := 0
	if cursor := c.str("cursor"); cursor != "" {
		raw, err := base64.StdEncoding.DecodeString(cursor)
		text, ok := strings.CutPrefix(string(raw), "next:")
		n, bad := strconv.Atoi(text)
		if err != nil || !ok || bad != nil || n < 0 || n > len(list) {
			return nil, "", refuse("invalid_cursor")
		}
		start = n
	}
	limit := c.number("limit", normal)
	if limit < 0 || c.has("limit") && limit == 0 && c.str("limit") != "0" {
		return nil, "", refuse("invalid_limit")
	}
	if limit == 0 {
		limit = normal
	}
	limit = min(limit, most)
	end := min(start+limit, len(list))
	next := ""
	if end < len(list) {
		next = base64.StdEncoding.EncodeToString([]byte("next:" + strconv.Itoa(end)))
	}
	return list[start:end], next, nil
}

func withCursor(o object, next string) object {
	o["response_metadata"] = object{"next_cursor": next}
	return o
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}
