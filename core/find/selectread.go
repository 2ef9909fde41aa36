package find

import (
	"encoding/json"
	"strconv"
	"strings"
)

// verdict is what a model said of one section.
type verdict struct {
	keep   bool
	extent extent
}

// readVerdicts reads a reply about n sections, by index; nil if it says nothing of
// any. Numbers that there are not are passed over; of several verdicts on one
// section the first counts.
func readVerdicts(reply string, n int) map[int]verdict {
	out := map[int]verdict{}
	for _, entry := range verdictList(reply) {
		number, one := readVerdict(entry)
		if _, known := out[number-1]; !known && number >= 1 && number <= n {
			out[number-1] = one
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// verdictList finds the list in a reply: in the object that was asked for, or alone.
func verdictList(reply string) []json.RawMessage {
	var list []json.RawMessage
	if at := strings.IndexByte(reply, '['); at >= 0 && (strings.IndexByte(reply, '{') < 0 || at < strings.IndexByte(reply, '{')) {
		if json.NewDecoder(strings.NewReader(reply[at:])).Decode(&list) == nil {
			return list
		}
	}
	fields, ok := object(reply)
	if !ok || json.Unmarshal(fields["sections"], &list) != nil {
		return nil
	}
	return list
}

// readVerdict reads an entry; a number alone is kept.
func readVerdict(entry json.RawMessage) (int, verdict) {
	var in map[string]json.RawMessage
	if json.Unmarshal(entry, &in) != nil {
		return wholeNumber(entry), verdict{keep: true}
	}
	v := verdict{keep: string(in["keep"]) != "false" && text(in["keep"]) != "false"}
	switch text(in["extent"]) {
	case "neighbours", "neighbors":
		v.extent = neighbours
	case "document":
		v.extent = whole
	}
	return wholeNumber(in["number"]), v
}

// wholeNumber reads a whole number, also one written as text; 0 for anything else.
func wholeNumber(raw json.RawMessage) int {
	s := string(raw)
	if t := text(raw); t != "" {
		s = t
	}
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return 0
	}
	return n
}

// apply keeps what was not dropped, in the order of the ranking. A reply that drops
// nothing names what is kept, and all else is dropped. Where nothing would be left,
// the best of the ranking stay.
func apply(shown []*section, verdicts map[int]verdict) []*section {
	drops := false
	for _, v := range verdicts {
		drops = drops || !v.keep
	}
	var kept []*section
	for i, s := range shown {
		v, said := verdicts[i]
		if !said {
			v.keep = drops
		}
		s.extent, s.verdict = v.extent, "drop"
		if v.keep {
			s.verdict = "keep"
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 {
		kept = shown[:min(keptIfAllDrop, len(shown))]
		for _, s := range kept {
			s.extent, s.verdict = alone, "kept although all were dropped"
		}
	}
	return kept
}
