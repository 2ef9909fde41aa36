package agent

import "regexp"

var oldMarkers = regexp.MustCompile(` ?\[\[\d+\]\]\([^)\s]*\)| ?\[\d+\]`)

// withoutMarkers takes the citations out of an earlier answer: its numbers mean
// other documents in this turn.
func withoutMarkers(answer string) string { return oldMarkers.ReplaceAllString(answer, "") }
