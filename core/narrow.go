package core

// Narrow is what a question itself asks to be searched, by its operators. It can
// only make less of what the place, the agent and the asker's collections leave:
// each part is a clause of its own. The zero value narrows nothing.
type Narrow struct {
	Sources   []string     // by name; nil = off
	Documents []string     // by id; nil = off
	Channels  []Collection // what belongs to the channels that it names; nil = off
	Updated   Range
	// Text is the question without its operators; "" means that it has none.
	Text string
	// Said names the filters for the reader, as they wrote them.
	Said []string
}

// On tells whether it narrows at all.
func (n Narrow) On() bool {
	return n.Sources != nil || n.Documents != nil || n.Channels != nil || n.Updated.On()
}

// Of is the filter inside what the question asks for.
func (n Narrow) Of(f Filter) Filter {
	f.Sources = both(f.Sources, n.Sources)
	f.Documents = both(f.Documents, n.Documents)
	if n.Channels != nil {
		f.Asked = append([]Collection{}, n.Channels...)
	}
	f.Updated = f.Updated.Within(n.Updated)
	return f
}

// both is what two lists of a filter hold together: nil is off, empty is nothing.
func both(a, b []string) []string {
	switch {
	case b == nil:
		return a
	case a == nil:
		return append([]string{}, b...)
	}
	in := make(map[string]bool, len(b))
	for _, s := range b {
		in[s] = true
	}
	out := []string{}
	for _, s := range a {
		if in[s] {
			out = append(out, s)
		}
	}
	return out
}

// Within is the time that lies in both ranges.
func (r Range) Within(o Range) Range {
	if r.From.IsZero() || o.From.After(r.From) {
		r.From = o.From
	}
	if r.To.IsZero() || !o.To.IsZero() && o.To.Before(r.To) {
		r.To = o.To
	}
	return r
}
