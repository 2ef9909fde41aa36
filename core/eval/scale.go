package eval

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Words of a passage and of a question of Scale.
const (
	scaleWords    = 330 // about 2 kB
	scaleQuestion = 6
	scaleReaders  = 5 // groups, one for each document in turn
	scaleRare     = 200_000
)

// Scale makes the documents and questions by which speed is measured: passages of
// about 2 kB from words whose frequencies follow Zipf's law. Each document is the
// same however many others are made. It belongs to one goroutine.
type Scale struct {
	words     []string
	questions *rand.Zipf
}

// NewScale begins a sequence of questions. Documents do not depend on its seed.
func NewScale(seed uint64) *Scale {
	s := &Scale{questions: zipf(seed, 0)}
	for i := range scaleRare + 1 {
		s.words = append(s.words, fmt.Sprintf("%c%cw%s", 'a'+i%23, 'a'+i%19, strconv.FormatInt(int64(i), 36)))
	}
	return s
}

func zipf(seed, n uint64) *rand.Zipf {
	return rand.NewZipf(rand.New(rand.NewPCG(seed, n)), 1.07, 4, scaleRare)
}

func (s *Scale) text(z *rand.Zipf, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(s.words[z.Uint64()])
		b.WriteByte(' ')
	}
	return b.String()
}

// Question gives the next question, of six words.
func (s *Scale) Question() string { return s.text(s.questions, scaleQuestion) }

// Facts are what filters know of the document with that number, from 0.
func (s *Scale) Facts(i int) core.Facts {
	return core.Facts{Document: fmt.Sprintf("s/%d", i), Source: "s", Access: core.NewAccess(scaleGroup(i % scaleReaders))}
}

func scaleGroup(n int) core.Principal { return core.Group("g", strconv.Itoa(n)) }

// Document is one of a single passage.
func (s *Scale) Document(i int) core.IndexedDocument {
	z, f := zipf(1, uint64(i)+1), s.Facts(i)
	d := core.IndexedDocument{Facts: f, Language: "en", Title: strings.TrimSpace(s.text(z, 4))}
	d.Passages = []core.Passage{{ID: core.PassageID(i + 1), Document: f.Document, Text: s.text(z, scaleWords)}}
	return d
}

// Filter lets two of five documents through.
func (s *Scale) Filter() core.Filter {
	return core.Filter{Principals: []core.Principal{scaleGroup(1), scaleGroup(3)}}
}
