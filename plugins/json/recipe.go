package jsonapi

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// recipe says how to read one kind of system.
type recipe struct {
	About   string              `yaml:"about"`
	BaseURL string              `yaml:"base_url"`
	Auth    auth                `yaml:"auth"`
	Limit   limit               `yaml:"limit"`
	Headers map[string]template `yaml:"headers"` // of every request
	Error   expr                `yaml:"error"`   // of an answer: what went wrong, null or false if nothing
	Vars    map[string]variable `yaml:"vars"`
	Lists   []list              `yaml:"lists"`
	Groups  []groups            `yaml:"groups"`

	label string // for people: which recipe this is
	text  []byte
}

// auth is where the secret goes.
type auth struct {
	Kind     string `yaml:"kind"`   // bearer, header, basic, query
	Name     string `yaml:"name"`   // of the header or query parameter
	Prefix   string `yaml:"prefix"` // before the secret in the header
	Required bool   `yaml:"required"`
}

type limit struct {
	PerSecond float64 `yaml:"per_second"`
	Burst     int     `yaml:"burst"`
}

// variable is one setting of a recipe.
type variable struct {
	Help     string `yaml:"help"`
	Default  string `yaml:"default"`
	Required bool   `yaml:"required"`
}

// request is one thing to ask for. A query parameter or header whose value is
// null is left out.
type request struct {
	Method  string              `yaml:"method"`
	Path    template            `yaml:"path"`
	Query   map[string]template `yaml:"query"`
	Headers map[string]template `yaml:"headers"`
	Body    expr                `yaml:"body"` // becomes JSON
}

// pages is a request that is answered in pages.
type pages struct {
	Request request `yaml:"request"`
	Paging  paging  `yaml:"paging"`
	Items   expr    `yaml:"items"` // the items in an answer: an array
}

type paging struct {
	Kind      string `yaml:"kind"`       // none, page, offset, cursor, link, next
	First     int    `yaml:"first"`      // number of the first page, or the first offset
	Size      int    `yaml:"size"`       // items of a full page; fewer are the last
	More      expr   `yaml:"more"`       // of an answer: is there more
	Next      expr   `yaml:"next"`       // of an answer: the cursor or address of what comes next
	EndStatus []int  `yaml:"end_status"` // statuses that mean: past the last page
}

// list is one list of what becomes documents.
type list struct {
	Name     string   `yaml:"name"`
	List     pages    `yaml:",inline"`
	Since    since    `yaml:"since"`
	Skip     expr     `yaml:"skip"`    // of an item: is it none of ours
	Removed  expr     `yaml:"removed"` // of an item: was it deleted
	Detail   *detail  `yaml:"detail"`
	Children *pages   `yaml:"children"`
	Document document `yaml:"document"`
}

// since makes a list incremental.
type since struct {
	Field   expr   `yaml:"field"`   // of an item: when it was changed last
	Format  string `yaml:"format"`  // of $since: rfc3339, unix, unix_ms, date, or a layout of Go
	Overlap string `yaml:"overlap"` // a duration; five minutes unless set
	Stop    bool   `yaml:"stop"`    // the newest come first: a page of older ones is the last
}

// detail is a request for one item alone.
type detail struct {
	Request request `yaml:"request"`
	Item    expr    `yaml:"item"` // the item in the answer; all of it unless set
}

// document is what a document is made of.
type document struct {
	ID        expr            `yaml:"id"` // of the item in the list
	Title     expr            `yaml:"title"`
	Body      expr            `yaml:"body"`
	MediaType expr            `yaml:"media_type"`
	URL       expr            `yaml:"url"`
	Kind      expr            `yaml:"kind"`
	Updated   expr            `yaml:"updated"`
	Created   expr            `yaml:"created"`
	Authors   expr            `yaml:"authors"`
	Meta      map[string]expr `yaml:"meta"`
	Tags      expr            `yaml:"tags"`
	Folders   expr            `yaml:"folders"`
	Access    access          `yaml:"access"`
}

// access says who may read a document, of the item in the list. Without any of it
// the source's access holds.
type access struct {
	Public     expr `yaml:"public"`
	Workspace  expr `yaml:"workspace"`
	Users      expr `yaml:"users"`
	Groups     expr `yaml:"groups"`
	Principals expr `yaml:"principals"`
}

// groups is a list of which each item puts people into groups.
type groups struct {
	List  pages `yaml:",inline"`
	Names expr  `yaml:"names"`
	Users expr  `yaml:"users"`
}

//go:embed recipes/*.yaml
var bundledRecipes embed.FS

// recipeNames are the recipes that come with Footnote.
func recipeNames() []string {
	entries, err := bundledRecipes.ReadDir("recipes")
	if err != nil {
		return nil // it is embedded: there is always one
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

func bundledRecipe(name string) (*recipe, error) {
	if !slices.Contains(recipeNames(), name) {
		return nil, fmt.Errorf("there is no recipe %q; there are %s, and file takes the path of one of your own", name, strings.Join(recipeNames(), ", "))
	}
	text, err := bundledRecipes.ReadFile(path.Join("recipes", name+".yaml"))
	if err != nil {
		return nil, err
	}
	return parse("recipe "+name, text)
}

const maxRecipe = 1 << 20 // bytes

func readFile(name string) (*recipe, error) {
	if !filepath.IsAbs(name) {
		return nil, fmt.Errorf("%q has to be an absolute path", name)
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the recipe %s does not exist", name)
	}
	if err != nil {
		return nil, fmt.Errorf("the recipe cannot be read: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxRecipe+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("the recipe cannot be read: %w", err)
	}
	if len(text) > maxRecipe {
		return nil, fmt.Errorf("the recipe %s is larger than 1 MiB", name)
	}
	return parse(name, text)
}

// parse reads a recipe. Mistakes name the label, line, key and expression.
func parse(label string, text []byte) (*recipe, error) {
	r := &recipe{label: label, text: text}
	d := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict())
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("%s: %w", label, plainMistake(err))
	}
	if err := r.problem(); err != nil {
		return nil, fmt.Errorf("%s: %w", label, err)
	}
	return r, nil
}

// plainMistake keeps the library's line and reason without its excerpt.
func plainMistake(err error) error {
	var own *mistake
	var e yaml.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &e) && e.GetToken() != nil:
		return fmt.Errorf("line %d: %s", e.GetToken().Position.Line, e.GetMessage())
	case errors.Is(err, io.EOF):
		return errors.New("there is nothing in it")
	}
	return errors.New("it is not valid YAML")
}
