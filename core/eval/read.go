package eval

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Read reads a set. The files acl.tsv and users.json are optional; users.json is
// looked for in the folder and then in its parent. Errors are of kind not_found
// for a missing file and invalid for a malformed row, which they name by file
// and line.
func Read(dir string) (Set, error) {
	var s Set
	groups, err := readGroups(filepath.Join(dir, "acl.tsv"))
	if err != nil {
		return s, err
	}
	if s.Documents, err = readCorpus(filepath.Join(dir, "corpus.jsonl"), groups); err != nil {
		return s, err
	}
	if s.Queries, err = readQueries(filepath.Join(dir, "queries.jsonl")); err != nil {
		return s, err
	}
	if s.Relevant, err = readRelevant(relevantFile(dir)); err != nil {
		return s, err
	}
	if groups != nil {
		s.Users, err = readUsers(filepath.Join(dir, "users.json"), filepath.Join(dir, "..", "users.json"))
	}
	return s, err
}

func readCorpus(path string, groups map[string]string) ([]Document, error) {
	var out []Document
	seen := map[string]bool{}
	err := eachLine(path, func(line string) error {
		var row struct {
			ID    string `json:"_id"`
			Title string `json:"title"`
			Text  string `json:"text"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return err
		}
		if row.ID == "" || seen[row.ID] {
			return fmt.Errorf("the _id %q is empty or occurs twice", row.ID)
		}
		seen[row.ID] = true
		d := Document{ID: row.ID, Title: row.Title, Text: row.Text, Access: core.NewAccess(core.Public)}
		if groups != nil {
			// A document that the access layer does not name is nobody's.
			d.Access = core.Access{}
			if g, ok := groups[row.ID]; ok {
				d.Access = core.NewAccess(principal(g))
			}
		}
		out = append(out, d)
		return nil
	})
	return out, err
}

func readQueries(path string) ([]Query, error) {
	var out []Query
	err := eachLine(path, func(line string) error {
		var row struct {
			ID       string `json:"_id"`
			Text     string `json:"text"`
			Metadata struct {
				Language string `json:"language"`
			} `json:"metadata"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return err
		}
		if row.ID == "" {
			return errors.New("the _id is missing")
		}
		language := row.Metadata.Language
		if language == "" {
			language = languagePrefix(row.ID)
		}
		out = append(out, Query{ID: row.ID, Text: row.Text, Language: language})
		return nil
	})
	return out, err
}

// languagePrefix reads ids of the form es-0042.
func languagePrefix(id string) string {
	if len(id) > 3 && id[2] == '-' && isLower(id[0]) && isLower(id[1]) {
		return id[:2]
	}
	return ""
}

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }

func readRelevant(path string) (map[string]map[string]int, error) {
	out := map[string]map[string]int{}
	return out, eachRow(path, 3, func(f []string) error {
		gain, err := strconv.Atoi(f[2])
		if err != nil || gain < 0 {
			return fmt.Errorf("the score %q is not a whole number from 0", f[2])
		}
		if gain == 0 {
			return nil
		}
		if out[f[0]] == nil {
			out[f[0]] = map[string]int{}
		}
		out[f[0]][f[1]] = gain
		return nil
	})
}

// readGroups gives document id → group, nil where there is no access layer.
func readGroups(path string) (map[string]string, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	out := map[string]string{}
	return out, eachRow(path, 2, func(f []string) error {
		out[f[0]] = f[1]
		return nil
	})
}

func readUsers(paths ...string) (map[string][]core.Principal, error) {
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var groups map[string][]string
		if err == nil {
			err = json.Unmarshal(b, &groups)
		}
		if err != nil {
			return nil, core.Errorf(core.KindInvalid, "%s is not an object of user names and lists of groups: %w", path, err)
		}
		out := make(map[string][]core.Principal, len(groups))
		for user, list := range groups {
			for _, g := range list {
				out[user] = append(out[user], principal(g))
			}
		}
		return out, nil
	}
	return nil, core.Errorf(core.KindNotFound, "The set has acl.tsv but no users.json: put %s beside it.", paths[0])
}

// eachRow visits the rows of a tab-separated file after its header line.
func eachRow(path string, fields int, visit func([]string) error) error {
	header := true
	return eachLine(path, func(line string) error {
		f := strings.Split(line, "\t")
		if len(f) < fields {
			return fmt.Errorf("%d fields separated by tabs are wanted, %d are there", fields, len(f))
		}
		if header {
			header = false
			return nil
		}
		return visit(f)
	})
}

// eachLine visits the lines of a file that are not blank.
func eachLine(path string, visit func(string) error) error {
	file, err := os.Open(path)
	if err != nil {
		return core.Errorf(core.KindNotFound, "The file %s of the test set cannot be read: %w", path, err)
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 1<<16)
	for n := 1; ; n++ {
		line, err := r.ReadString('\n')
		if text := strings.TrimRight(line, "\r\n"); strings.TrimSpace(text) != "" {
			if err := visit(text); err != nil {
				return core.Errorf(core.KindInvalid, "%s, line %d: %w", path, n, err)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return core.Errorf(core.KindDisk, "The file %s of the test set cannot be read: %w", path, err)
		}
	}
}

// relevantFile is qrels.tsv, or qrels/test.tsv as the original BEIR sets have it.
func relevantFile(dir string) string {
	flat, nested := filepath.Join(dir, "qrels.tsv"), filepath.Join(dir, "qrels", "test.tsv")
	if _, err := os.Stat(flat); err != nil {
		if _, err := os.Stat(nested); err == nil {
			return nested
		}
	}
	return flat
}
