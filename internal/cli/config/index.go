package config

import (
	"regexp"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// The kinds of search index.
const (
	IndexEmbedded  = "embedded"
	IndexTypesense = "typesense"
)

// Index says where passages are searched.
type Index struct {
	Kind       string        `yaml:"kind" help:"embedded, in the data folder, or typesense; embedded if not set"`
	URL        string        `yaml:"url" help:"addresses of the Typesense nodes, separated by commas"`
	APIKey     string        `yaml:"api_key" secret:"true" help:"a Typesense key that may do everything with the collections and aliases of Footnote"`
	Collection string        `yaml:"collection" help:"name of the collection's alias; footnote_ and the install's id if not set"`
	Timeout    time.Duration `yaml:"timeout" help:"how long a Typesense node may take to begin its answer; 10s if not set"`
}

// Nodes are the addresses, one by one.
func (i Index) Nodes() []string { return splitList(i.URL) }

// collectionName keeps to what needs no escaping in addresses and filters.
var collectionName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

func (c *Config) validateIndex() error {
	i := c.Index
	switch i.Kind {
	case "", IndexEmbedded:
		if i.URL != "" || i.Collection != "" || i.Timeout != 0 || i.APIKey != "" {
			return core.Errorf(core.KindConfig, "index.url, api_key, collection and timeout are for index.kind: typesense; set that, or remove them")
		}
		return nil
	case IndexTypesense:
	default:
		return core.Errorf(core.KindConfig, "index.kind: %q is neither embedded nor typesense", i.Kind)
	}
	if i.APIKey == "" || len(i.Nodes()) == 0 {
		return core.Errorf(core.KindConfig, "index.kind: typesense needs index.url and index.api_key (or FOOTNOTE_INDEX_URL and FOOTNOTE_INDEX_API_KEY)")
	}
	for _, node := range i.Nodes() {
		if err := checkURL("index.url", node); err != nil {
			return err
		}
	}
	if i.Collection != "" && !collectionName.MatchString(i.Collection) {
		return core.Errorf(core.KindConfig, "index.collection: %q is no name for it: use 1 to 64 lower-case letters, digits, - and _, starting with a letter or digit", i.Collection)
	}
	return nil
}
