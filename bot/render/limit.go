package render

// Count is what a platform counts.
type Count uint8

const (
	// Runes are code points.
	Runes Count = iota
	// UTF16 are UTF-16 units: two for a character beyond U+FFFF.
	UTF16
)

// Limit is how long a text may be.
type Limit struct {
	N     int
	Count Count
}

// Len is the length of a text as the limit counts it.
func (l Limit) Len(s string) int {
	n := 0
	for _, r := range s {
		n++
		if l.Count == UTF16 && r > 0xffff {
			n++
		}
	}
	return n
}

// Fits tells whether a text is within the limit.
func (l Limit) Fits(s string) bool { return len(s) <= l.N || l.Len(s) <= l.N }
