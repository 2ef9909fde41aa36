package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Collection is a named rule. Of each list that is given one entry has to fit.
type Collection struct {
	Name    string   `yaml:"name" help:"unique name"`
	Sources []string `yaml:"sources" help:"names of sources"`
	Folders []string `yaml:"folders" help:"folders as SOURCE/FOLDER, with all that lies below"`
	Tags    []string `yaml:"tags" help:"pieces of metadata as KEY=VALUE"`
}

// Core is the collection in the vocabulary's form.
func (c Collection) Core() core.Collection {
	out := core.Collection{Name: c.Name, Sources: c.Sources, Origin: core.FromConfig}
	for _, f := range c.Folders {
		out.Folders = append(out.Folders, strings.Trim(f, "/"))
	}
	for _, t := range c.Tags {
		key, value, _ := strings.Cut(t, "=")
		out.Tags = append(out.Tags, core.TagOf(strings.TrimSpace(key), strings.TrimSpace(value)))
	}
	return out
}

// Place is the settings of one channel or other place.
type Place struct {
	ID           string   `yaml:"id" help:"platform:team/channel, such as slack:T1/C1"`
	Agent        string   `yaml:"agent" help:"which agent answers there"`
	Mode         string   `yaml:"mode" help:"what is answered: off, mention, questions or all"`
	Collections  []string `yaml:"collections" help:"search there is narrowed to these"`
	Private      bool     `yaml:"private" help:"answers go to the asker alone"`
	Intersection bool     `yaml:"intersection" help:"also use what all members may read, up to 200 members"`
	External     bool     `yaml:"external" help:"answer although outsiders read it, from external grants"`
	Allow        []string `yaml:"allow" help:"who may ask there: addresses, ids of users, user groups or roles; everybody if not set"`
	OnlySourced  bool     `yaml:"only_sourced" help:"an answer without a source is not posted; the asker alone is told that nothing was found"`
	Helpers      string   `yaml:"helpers" help:"user group that is called when somebody asks for a human"`
}

// The values of Place.Mode.
const (
	ModeOff       = "off"
	ModeMention   = "mention"
	ModeQuestions = "questions"
	ModeAll       = "all"
)

// Canned is an answer that the owner wrote for a kind of question.
type Canned struct {
	Name    string   `yaml:"name" help:"unique name"`
	Any     []string `yaml:"any" help:"words or phrases; one of them has to occur"`
	All     []string `yaml:"all" help:"words that all have to occur"`
	Answer  string   `yaml:"answer" help:"what is answered, in Markdown"`
	Expires string   `yaml:"expires" help:"the last day on which it is given, such as 2027-03-31"`
	Places  []string `yaml:"places" help:"ids of the places where it is given; all if not set"`
}

// In tells whether it is given in a place.
func (c Canned) In(place string) bool {
	return c.Places == nil || slices.ContainsFunc(c.Places, func(p string) bool { return strings.EqualFold(p, place) })
}

// End is when it is no longer given; zero means never.
func (c Canned) End() (time.Time, error) {
	if c.Expires == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, c.Expires)
	if err != nil {
		return day, core.Errorf(core.KindConfig, "expires: %q is not a date such as 2027-03-31", c.Expires)
	}
	return day.AddDate(0, 0, 1), nil
}

func (c *Config) validateCanned() error {
	seen := map[string]bool{}
	for i, one := range c.Canned {
		where := fmt.Sprintf("%s: canned[%d]", c.File, i)
		if err := checkName(one.Name, "a canned answer"); err != nil {
			return core.Errorf(core.KindConfig, "%s: %w", where, err)
		}
		_, err := one.End()
		switch {
		case seen[one.Name]:
			return core.Errorf(core.KindConfig, "%s: the name %q is used before", where, one.Name)
		case len(one.Any)+len(one.All) == 0:
			return core.Errorf(core.KindConfig, "%s (%s): needs any or all: the words of the questions that it answers", where, one.Name)
		case strings.TrimSpace(one.Answer) == "":
			return core.Errorf(core.KindConfig, "%s (%s): answer is empty", where, one.Name)
		case err != nil:
			return core.Errorf(core.KindConfig, "%s (%s): %w", where, one.Name, err)
		}
		seen[one.Name] = true
	}
	return nil
}

// Grant binds a collection to a place.
type Grant struct {
	Place      string `yaml:"place" help:"id of the place"`
	Collection string `yaml:"collection" help:"name of the collection"`
	External   bool   `yaml:"external" help:"outsiders may know it too"`
}

// Group is a group of people, named group:config/NAME where readers are listed.
type Group struct {
	Name    string   `yaml:"name" help:"unique name"`
	Members []string `yaml:"members" help:"e-mail addresses, and other groups as group:SOURCE/NAME"`
}

// Core is the group in the vocabulary's form. Errors are of kind config.
func (g Group) Core() (core.GroupMembers, error) {
	out := core.GroupMembers{Source: core.ConfigGroups, Name: g.Name}
	for _, m := range g.Members {
		m = strings.TrimSpace(m)
		switch p, err := core.ParsePrincipal(m); {
		case err == nil && strings.HasPrefix(string(p), "group:"):
			out.Groups = append(out.Groups, p)
		case err == nil && strings.HasPrefix(string(p), "user:"):
			out.Users = append(out.Users, strings.TrimPrefix(string(p), "user:"))
		case err != nil && strings.Contains(m, "@"):
			out.Users = append(out.Users, strings.ToLower(m))
		default:
			return out, core.Errorf(core.KindConfig, "group %q: %q is neither an e-mail address nor a group as group:SOURCE/NAME", g.Name, m)
		}
	}
	return out, nil
}

// Audit is how the record is kept.
type Audit struct {
	Keep time.Duration `yaml:"keep" help:"how long entries are kept, such as 8760h; for ever if not set"`
}

// Secrets is where the key comes from.
type Secrets struct {
	Key    string `yaml:"key" secret:"true" help:"the key, 32 bytes in hexadecimal or base64, or a long passphrase; kept in a file of the data folder if not set"`
	OldKey string `yaml:"old_key" secret:"true" help:"the key before, while secrets are still encrypted with it"`
}

// HoldsSecrets tells whether a key or token is configured, in the file or beside it.
func (c *Config) HoldsSecrets() bool {
	return c.Model.APIKey != "" || c.Index.APIKey != "" || c.Embeddings.APIKey != "" || c.Secrets.Key != "" || c.Secrets.OldKey != "" || len(c.Slack) > 0 || len(c.Discord) > 0 ||
		slices.ContainsFunc(c.Model.Fallback, func(f Fallback) bool { return f.APIKey != "" })
}

func (c *Config) validateRights() error {
	err := c.validateCollections()
	if err != nil {
		return err
	}
	if err := c.validatePlaces(); err != nil {
		return err
	}
	if err := c.validateCanned(); err != nil {
		return err
	}
	groups := map[string]bool{}
	for i, g := range c.Groups {
		where := fmt.Sprintf("%s: groups[%d]", c.File, i)
		if err := checkName(g.Name, "a group"); err != nil {
			return core.Errorf(core.KindConfig, "%s: %w", where, err)
		}
		if groups[g.Name] {
			return core.Errorf(core.KindConfig, "%s: the name %q is used before", where, g.Name)
		}
		groups[g.Name] = true
		if _, err := g.Core(); err != nil {
			return core.Errorf(core.KindConfig, "%s: %w", where, err)
		}
	}
	return nil
}

func (c *Config) validateCollections() error {
	names := map[string]bool{}
	for i, one := range c.Collections {
		where := fmt.Sprintf("%s: collections[%d]", c.File, i)
		if err := CheckCollectionName(one.Name); err != nil {
			return core.Errorf(core.KindConfig, "%s: %w", where, err)
		}
		if names[one.Name] {
			return core.Errorf(core.KindConfig, "%s: the name %q is used before", where, one.Name)
		}
		names[one.Name] = true
		if err := CheckRule(one); err != nil {
			return core.Errorf(core.KindConfig, "%s: collection %q: %w", where, one.Name, err)
		}
	}
	return nil
}

// CheckCollectionName tells whether a collection may have the name.
func CheckCollectionName(name string) error { return checkName(name, "a collection") }

// CheckRule tells whether a collection's lists say something that can fit.
func CheckRule(c Collection) error {
	if c.Core().Empty() {
		return core.Errorf(core.KindInvalid, "it names no sources, folders or tags and would hold nothing")
	}
	for _, f := range c.Folders {
		if source, folder, ok := strings.Cut(strings.Trim(f, "/"), "/"); !ok || source == "" || folder == "" {
			return core.Errorf(core.KindInvalid, "folder %q: write SOURCE/FOLDER", f)
		}
	}
	for _, t := range c.Tags {
		if key, value, ok := strings.Cut(t, "="); !ok || strings.TrimSpace(key) == "" || strings.TrimSpace(value) == "" {
			return core.Errorf(core.KindInvalid, "tag %q: write KEY=VALUE", t)
		}
	}
	return nil
}

func (c *Config) validatePlaces() error {
	seen := map[string]bool{}
	for i, p := range c.Places {
		where := fmt.Sprintf("%s: places[%d]", c.File, i)
		if err := CheckPlaceID(p.ID); err != nil {
			return core.Errorf(core.KindConfig, "%s: id: %w", where, err)
		}
		if seen[p.ID] {
			return core.Errorf(core.KindConfig, "%s: the place %q is listed before", where, p.ID)
		}
		seen[p.ID] = true
		switch p.Mode {
		case "", ModeOff, ModeMention, ModeQuestions, ModeAll:
		default:
			return core.Errorf(core.KindConfig, "%s: mode: %q is none of off, mention, questions and all", where, p.Mode)
		}
		if slices.ContainsFunc(p.Allow, func(entry string) bool { return strings.TrimSpace(entry) == "" }) {
			return core.Errorf(core.KindConfig, "%s: allow: an entry is empty; write an address, or the id of a user, a user group or a role", where)
		}
	}
	for i, g := range c.Grants {
		where := fmt.Sprintf("%s: grants[%d]", c.File, i)
		if err := CheckPlaceID(g.Place); err != nil {
			return core.Errorf(core.KindConfig, "%s: place: %w", where, err)
		}
		if err := CheckCollectionName(g.Collection); err != nil {
			return core.Errorf(core.KindConfig, "%s: collection: %w", where, err)
		}
	}
	return nil
}

// CheckPlaceID tells whether a place can have the id.
func CheckPlaceID(id string) error {
	platform, rest, ok := strings.Cut(id, ":")
	if !ok || platform == "" || rest == "" || strings.ContainsAny(id, " \t\n") {
		return core.Errorf(core.KindInvalid, "%q is not the id of a place: write PLATFORM:TEAM/CHANNEL, such as slack:T012345/C012345", id)
	}
	return nil
}
