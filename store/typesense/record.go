package typesense

import (
	"crypto/sha256"
	"encoding/base32"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/index"
)

// record is a passage as Typesense keeps it.
type record struct {
	ID         string   `json:"id"`
	Passage    int64    `json:"passage"`
	Doc        string   `json:"doc"`      // key of the document's id
	Document   string   `json:"document"` // the id itself, not searched
	First      bool     `json:"first"`    // of its document, so that documents can be counted
	Live       bool     `json:"live"`     // found by searches
	Generation string   `json:"generation"`
	Language   string   `json:"language"`
	Sum        string   `json:"sum"`     // key of the text, by which vectors are carried over
	Words      []string `json:"words"`   // terms, each once
	Windows    []string `json:"windows"` // the same by window, counted; not searched
}

// factsPart is what changes without the text.
type factsPart struct {
	Source  string   `json:"source"`
	Access  []string `json:"access"`
	ACL     string   `json:"acl"` // key of the whole list, the same for documents of the same readers
	Hidden  bool     `json:"hidden"`
	Folders []string `json:"folders"`
	Tags    []string `json:"tags"`
	Levels  []string `json:"levels"` // keys of folders with how far above the document each lies
	Shape   string   `json:"shape"`  // key of source, kind, folders and tags together
	Judged  string   `json:"judged"` // key of that with title and times
	Origin  string   `json:"origin"` // what conditions are judged by; not searched
	Kind    string   `json:"kind"`
	Title   string   `json:"title"`
	Labels  []string `json:"labels"`
	Created int64    `json:"created"`
	Updated int64    `json:"updated"`
}

// full is a whole record as it is sent.
type full struct {
	record
	factsPart
}

// facts is a record's facts as they are sent alone.
type facts struct {
	ID string `json:"id"`
	factsPart
}

var letters = base32.HexEncoding.WithPadding(base32.NoPadding)

// keyBytes of a hash make a key: enough that no two names of an install meet.
const keyBytes = 10

// key stands for a name in filters. It holds small letters and digits only.
func key(name string) string {
	sum := sha256.Sum256([]byte(name))
	return strings.ToLower(letters.EncodeToString(sum[:keyBytes]))
}

// keysOf gives the keys of names, sorted, each once.
func keysOf[S ~string](names []S) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		out = append(out, key(string(n)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func foldedKeys(tags []string) []string {
	out := make([]string, len(tags))
	for i, t := range tags {
		out[i] = strings.ToLower(t)
	}
	return keysOf(out)
}

const (
	encodedMark  = "zz" // begins a term that is not sent as it is
	longestPlain = 40   // bytes of a term that is encoded and not hashed
)

// token writes a term so that every tokeniser leaves it alone, whatever its script.
func token(term string) string {
	plain := term != "" && len(term) <= 2*longestPlain && !strings.HasPrefix(term, encodedMark)
	for i := 0; i < len(term) && plain; i++ {
		plain = 'a' <= term[i] && term[i] <= 'z' || '0' <= term[i] && term[i] <= '9'
	}
	switch {
	case plain:
		return term
	case len(term) <= longestPlain:
		return encodedMark + strings.ToLower(letters.EncodeToString([]byte(term)))
	}
	return encodedMark + encodedMark + key(term)
}

func tokens(terms []string) []string {
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = token(t)
	}
	return out
}

// Times are seconds behind a moment long ago, so that none is negative.
const (
	undated    = 0
	epochShift = 1 << 40
	lastTime   = 1 << 42
)

func stamp(t time.Time) int64 {
	if t.IsZero() {
		return undated
	}
	return min(max(t.Unix()+epochShift, 1), lastTime)
}

func factsOf(d core.Facts) factsPart {
	f := factsPart{
		Source: key(d.Source), Access: keysOf(d.Access), Hidden: d.Hidden, Folders: keysOf(d.Folders), Tags: foldedKeys(d.Tags),
		Levels: []string{}, Origin: d.Source, Kind: d.Kind, Title: d.Title, Labels: []string{},
		Created: stamp(d.Created), Updated: stamp(d.Updated),
	}
	once := core.FoldersOnce(d.Folders)
	for i, folder := range once {
		f.Levels = append(f.Levels, levelKey(folder, len(once)-1-i))
	}
	for _, t := range d.Tags {
		f.Labels = append(f.Labels, strings.ToLower(t))
	}
	slices.Sort(f.Labels)
	f.ACL = key(strings.Join(f.Access, " "))
	f.Shape = key(f.Source + "|" + key(d.Kind) + "|" + strings.Join(f.Folders, " ") + "|" + strings.Join(f.Tags, " "))
	f.Judged = key(f.Shape + "|" + decimal(f.Created) + "|" + decimal(f.Updated) + "|" + d.Title)
	return f
}

// levelKey stands for a folder that lies so many folders above a document.
func levelKey(folder string, level int) string { return key(decimal(int64(level)) + "/" + folder) }

// recordsOf makes the records of a document, not yet live.
func recordsOf(d core.IndexedDocument, generation string) []full {
	var out []full
	f := factsOf(d.Facts)
	for i, p := range d.Passages {
		r := record{
			ID: strconv.FormatInt(int64(p.ID), 10) + "x" + generation, Passage: int64(p.ID),
			Doc: key(d.Facts.Document), Document: d.Facts.Document, First: i == 0,
			Generation: generation, Language: d.Language, Sum: sumOf(d.Title, p), Words: []string{}, Windows: []string{},
		}
		all := map[string]bool{}
		for _, w := range index.Windows(d.Title, d.Language, p) {
			r.Windows = append(r.Windows, writeWindow(w))
			for t := range w.Terms {
				all[token(t)] = true
			}
		}
		r.Words = append(r.Words, slices.Sorted(maps.Keys(all))...)
		out = append(out, full{r, f})
	}
	return out
}

// sumOf names what is embedded of a passage.
func sumOf(title string, p core.Passage) string {
	text := title + "\x00" + p.Heading + "\x00" + p.Text
	if p.Context != "" {
		text += "\x00" + p.Context
	}
	return key(text)
}

// writeWindow writes a window's length and its tokens, with how often each stands
// there unless that is once.
func writeWindow(w index.Window) string {
	var b strings.Builder
	b.WriteString(strconv.FormatFloat(w.Words, 'f', -1, 64))
	for _, term := range slices.Sorted(maps.Keys(w.Terms)) {
		b.WriteByte(' ')
		b.WriteString(token(term))
		if n := w.Terms[term]; n != 1 {
			b.WriteByte('*')
			b.WriteString(strconv.Itoa(n))
		}
	}
	return b.String()
}

// readWindow gives the length and how often each of the wanted tokens stands there.
func readWindow(s string, wanted map[string]bool) (words float64, times map[string]int) {
	times = map[string]int{}
	first := true
	for part := range strings.FieldsSeq(s) {
		if first {
			words, _ = strconv.ParseFloat(part, 64) //nolint:errcheck // 0 is a length too
			first = false
			continue
		}
		t, count, many := strings.Cut(part, "*")
		if !wanted[t] {
			continue
		}
		times[t] = 1
		if many {
			times[t], _ = strconv.Atoi(count) //nolint:errcheck // 0 scores nothing
		}
	}
	return words, times
}
