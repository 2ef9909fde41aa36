package config

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/footnote-bot/footnote/core"
)

// DefaultFile is read from the working folder when no file was named.
const DefaultFile = "footnote.yaml"

// DefaultDataDir is the data folder when nothing names one.
const DefaultDataDir = "data"

// Load reads the named file (or dir/footnote.yaml if the name is empty and that
// file exists), then the environment through lookup. Relative paths in the file
// count from the file's folder, others from dir.
func Load(file, dir string, lookup func(string) (string, bool)) (Config, error) {
	var c Config
	path, err := find(file, dir)
	if err != nil {
		return c, err
	}
	c.path = cmp.Or(path, filepath.Join(dir, DefaultFile))
	if path != "" {
		if err := c.read(path); err != nil {
			return c, err
		}
	}
	if err := c.environment(dir, lookup); err != nil {
		return c, err
	}
	if c.DataDir == "" {
		c.DataDir = filepath.Join(dir, DefaultDataDir)
	}
	return c, c.validate()
}

// Changed tells whether the file says something else now than when it was read,
// came into being since, or is gone.
func (c Config) Changed() bool {
	if c.path == "" {
		return false
	}
	raw, err := os.ReadFile(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return c.File != ""
	}
	return err == nil && (c.File == "" || sha256.Sum256(raw) != c.sum)
}

func find(file, dir string) (string, error) {
	if file != "" {
		return absolute(dir, file), nil
	}
	path := filepath.Join(dir, DefaultFile)
	switch _, err := os.Stat(path); {
	case err == nil:
		return path, nil
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	default:
		return "", core.Errorf(core.KindConfig, "cannot read %s: %w", path, err)
	}
}

func (c *Config) read(path string) error {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return core.Errorf(core.KindConfig, "configuration file %s does not exist; name another with --config", path)
	}
	if err != nil {
		return core.Errorf(core.KindConfig, "cannot read configuration file: %w", err)
	}
	tree, err := parser.ParseBytes(raw, 0)
	if err != nil {
		return core.Errorf(core.KindConfig, "%s: %s", path, yamlMessage(err))
	}
	for _, doc := range tree.Docs {
		if isNull(doc.Body) {
			continue
		}
		if err := checkColons(path, doc.Body); err != nil {
			return err
		}
		if err := check(path, doc.Body, reflect.TypeFor[Config](), ""); err != nil {
			return err
		}
	}
	if err := yaml.Unmarshal(raw, c); err != nil {
		return core.Errorf(core.KindConfig, "%s: %s", path, yamlMessage(err))
	}
	c.File, c.sum = path, sha256.Sum256(raw)
	c.noteLines(tree)
	if c.DataDir != "" {
		c.DataDir = absolute(filepath.Dir(path), c.DataDir)
	}
	return nil
}

// yamlMessage keeps the library's line and reason and drops its source excerpt,
// which may hold a secret.
func yamlMessage(err error) string {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil {
		return fmt.Sprintf("line %d: %s", e.GetToken().Position.Line, e.GetMessage())
	}
	return "the file is not valid YAML"
}

func (c *Config) noteLines(tree *ast.File) {
	for _, doc := range tree.Docs {
		pairs, _ := pairsOf(doc.Body)
		for _, pair := range pairs {
			list, ok := pair.Value.(*ast.SequenceNode)
			if !ok || pair.Key.GetToken().Value != "sources" {
				continue
			}
			for i := range min(len(list.Values), len(c.Sources)) {
				c.Sources[i].Line = lineOf(list.Values[i])
			}
		}
	}
}

var sourceName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// CheckSourceName tells whether a source may have the name.
func CheckSourceName(name string) error {
	if name == core.ConfigGroups {
		return core.Errorf(core.KindInvalid, "%q cannot name a source: the groups of the configuration file stand under this name", name)
	}
	return checkName(name, "a source")
}

// CheckAgentName tells whether an agent may have the name.
func CheckAgentName(name string) error { return checkName(name, "an agent") }

func checkName(name, what string) error {
	if !sourceName.MatchString(name) {
		return core.Errorf(core.KindInvalid,
			"%q cannot name %s: use 1 to 64 lower-case letters, digits, - and _, starting with a letter or digit", name, what)
	}
	return nil
}

func (c *Config) validate() error {
	seen := map[string]int{}
	for i, s := range c.Sources {
		where := fmt.Sprintf("%s, line %d: sources[%d]", c.File, s.Line, i)
		if s.Name == "" || s.Connector == "" {
			return core.Errorf(core.KindConfig, "%s: needs both name and connector", where)
		}
		if err := CheckSourceName(s.Name); err != nil {
			return core.Errorf(core.KindConfig, "%s: %w", where, err)
		}
		if first, twice := seen[s.Name]; twice {
			return core.Errorf(core.KindConfig, "%s: the name %q is used before in line %d", where, s.Name, first)
		}
		seen[s.Name] = s.Line
		if _, err := s.Core(); err != nil {
			return core.Errorf(core.KindConfig, "%s: %w", where, err)
		}
	}
	if err := c.validateAgents(); err != nil {
		return err
	}
	if err := c.validateRights(); err != nil {
		return err
	}
	if err := c.validateTraces(); err != nil {
		return err
	}
	if err := c.validateServe(); err != nil {
		return err
	}
	if err := c.validateSlack(); err != nil {
		return err
	}
	if err := c.validateDiscord(); err != nil {
		return err
	}
	if err := c.validatePrices(); err != nil {
		return err
	}
	if err := c.validateQuotas(); err != nil {
		return err
	}
	if err := c.validateRetrieval(); err != nil {
		return err
	}
	if err := c.validateIndex(); err != nil {
		return err
	}
	if err := c.validateEmbeddings(); err != nil {
		return err
	}
	return c.validateModel()
}

func (c *Config) validateAgents() error {
	seen := map[string]bool{}
	for i, a := range c.Agents {
		if err := CheckAgentName(a.Name); err != nil {
			return core.Errorf(core.KindConfig, "%s: agents[%d]: %w", c.File, i, err)
		}
		if seen[a.Name] {
			return core.Errorf(core.KindConfig, "%s: agents[%d]: the name %q is used before", c.File, i, a.Name)
		}
		seen[a.Name] = true
	}
	return nil
}

func (c *Config) validateModel() error {
	m := c.Model
	if !m.Configured() {
		return nil
	}
	if m.BaseURL == "" || m.Name == "" {
		return core.Errorf(core.KindConfig,
			"the model needs both model.base_url and model.name (or FOOTNOTE_MODEL_BASE_URL and FOOTNOTE_MODEL_NAME); remove all model keys for quotes without a model")
	}
	return checkURL("model.base_url", m.BaseURL)
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
