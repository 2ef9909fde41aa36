package handbook

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const hrOnly = "hr/salary-bands.md"

func load(t *testing.T) (docs map[string]string, questions []Question) {
	t.Helper()
	docs = map[string]string{}
	err := fs.WalkDir(FS, Root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(FS, name)
		docs[strings.TrimPrefix(name, Root+"/")] = string(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if questions, err = Questions(); err != nil {
		t.Fatal(err)
	}
	return docs, questions
}

func TestDocuments(t *testing.T) {
	docs, _ := load(t)
	if len(docs) < 40 {
		t.Errorf("%d documents, want at least 40", len(docs))
	}
	for name, body := range docs {
		switch path.Ext(name) {
		case ".pdf":
			if !strings.HasPrefix(body, "%PDF-") || len(body) > 200_000 {
				t.Errorf("%s: %d bytes that begin with %.5q, want a PDF under 200 kB", name, len(body), body)
			}
		case ".md":
			if !mdTitle.MatchString(body) {
				t.Errorf("%s: no heading", name)
			}
			fallthrough
		default:
			if strings.TrimSpace(body) == "" || !utf8.ValidString(body) {
				t.Errorf("%s: empty or not UTF-8", name)
			}
		}
	}
}

func TestQuestionCounts(t *testing.T) {
	_, questions := load(t)
	answerable, unrelated := map[string]int{}, 0
	ids := map[string]bool{}
	for _, q := range questions {
		if ids[q.ID] {
			t.Errorf("%s: id occurs twice", q.ID)
		}
		ids[q.ID] = true
		if q.Answerable() != (q.Answer != "") {
			t.Errorf("%s: documents and answer must be there together or not at all", q.ID)
		}
		if q.Answerable() {
			answerable[q.Language]++
			if !q.TitleOverlap {
				unrelated++
			}
		}
	}
	if len(questions) != 46 || answerable["en"] != 30 || answerable["zh"] != 5 || answerable["de"] != 5 {
		t.Errorf("%d questions, answerable %v; want 46 with en 30, zh 5, de 5", len(questions), answerable)
	}
	if unrelated < 15 {
		t.Errorf("%d answerable questions share no word with a title, want at least 15", unrelated)
	}
}

func TestAnswerableQuestions(t *testing.T) {
	docs, questions := load(t)
	for _, q := range questions {
		if !q.Answerable() {
			continue
		}
		t.Run(q.ID, func(t *testing.T) {
			overlap := false
			for _, name := range q.Documents {
				body, ok := docs[name]
				if !ok || name == hrOnly {
					t.Fatalf("%s is no document that every employee may read", name)
				}
				overlap = overlap || shared(stems(q.Text), stems(title(name, body))) > 0
			}
			if overlap != q.TitleOverlap {
				t.Errorf("title_overlap is %v, the titles say %v", q.TitleOverlap, overlap)
			}
			if !isPDF(q) {
				checkAnswer(t, q, docs)
				checkPassage(t, q, docs)
			}
		})
	}
}

func isPDF(q Question) bool {
	return slices.ContainsFunc(q.Documents, func(name string) bool { return path.Ext(name) == ".pdf" })
}

// checkAnswer wants every number of the answer and most of its words in the
// expected documents.
func checkAnswer(t *testing.T, q Question, docs map[string]string) {
	t.Helper()
	var text strings.Builder
	for _, name := range q.Documents {
		text.WriteString(plain(name, docs[name]) + "\n")
	}
	have := numberPattern.FindAllString(text.String(), -1)
	for _, number := range numberPattern.FindAllString(q.Answer, -1) {
		if !slices.Contains(have, number) {
			t.Errorf("%s of the answer stands in none of %v", number, q.Documents)
		}
	}
	want := stems(q.Answer)
	if n := shared(want, stems(text.String())); 3*n < 2*len(want) {
		t.Errorf("%d of %d words of the answer stand in %v", n, len(want), q.Documents)
	}
}

// checkPassage wants one paragraph or table of an expected document that holds
// two words of the question, so that a keyword search can find it.
func checkPassage(t *testing.T, q Question, docs map[string]string) {
	t.Helper()
	words := stems(q.Text)
	for _, name := range q.Documents {
		for _, block := range blankLine.Split(docs[name], -1) {
			if shared(words, stems(plain(name, block))) >= 2 {
				return
			}
		}
	}
	t.Errorf("no passage of %v holds two of the words %v", q.Documents, words)
}

// TestUnanswerableQuestions wants a word in each that no ordinary document has.
func TestUnanswerableQuestions(t *testing.T) {
	docs, questions := load(t)
	known := map[string]bool{}
	for name, body := range docs {
		if name != hrOnly && path.Ext(name) != ".pdf" {
			for s := range stems(plain(name, body)) {
				known[s] = true
			}
		}
	}
	for _, q := range questions {
		words := stems(q.Text)
		if !q.Answerable() && shared(words, known) == len(words) {
			t.Errorf("%s: every word of %q stands in the handbook", q.ID, q.Text)
		}
	}
}
