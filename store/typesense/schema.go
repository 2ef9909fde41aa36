package typesense

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/typesense/typesense-go/v2/typesense/api"
	"github.com/typesense/typesense-go/v2/typesense/api/pointer"
)

// schema is raised whenever records change their form. It stands in the name of a
// collection, where every version of Footnote can read it.
const schema = 2

// collectionName names a new collection of this schema.
func (x *Index) collectionName(now time.Time) string {
	return fmt.Sprintf("%s_v%d_%s", x.name, schema, strconv.FormatInt(now.UnixNano(), 36))
}

// schemaOf reads the schema from a collection's name; false for one of others.
func (x *Index) schemaOf(collection string) (version int, ours bool) {
	rest, ok := strings.CutPrefix(collection, x.name+"_v")
	number, serial, has := strings.Cut(rest, "_")
	version, err := strconv.Atoi(number)
	return version, ok && has && serial != "" && err == nil && version > 0
}

// stateCollection holds what is remembered of each collection beside its records.
func (x *Index) stateCollection() string { return x.name + "_state" }

func schemaFor(collection string) *api.CollectionSchema {
	searched := func(name, kind string) api.Field { return api.Field{Name: name, Type: kind} }
	counted := func(name string) api.Field {
		return api.Field{Name: name, Type: "string", Facet: pointer.True()}
	}
	kept := func(name, kind string) api.Field {
		return api.Field{Name: name, Type: kind, Index: pointer.False(), Optional: pointer.True()}
	}
	return &api.CollectionSchema{Name: collection, Fields: []api.Field{
		searched("passage", "int64"), searched("doc", "string"), kept("document", "string"), searched("first", "bool"),
		searched("live", "bool"), searched("generation", "string"), counted("language"),
		searched("words", "string[]"), kept("windows", "string[]"), kept("sum", "string"),
		searched("source", "string"), searched("access", "string[]"), counted("acl"), searched("hidden", "bool"),
		searched("folders", "string[]"), searched("tags", "string[]"), counted("shape"),
		searched("levels", "string[]"), counted("judged"), kept("origin", "string"), kept("kind", "string"), kept("title", "string"),
		kept("labels", "string[]"),
		searched("created", "int64"), searched("updated", "int64"),
	}}
}

func stateSchema(collection string) *api.CollectionSchema {
	return &api.CollectionSchema{Name: collection, Fields: []api.Field{
		{Name: "state", Type: "string", Index: pointer.False(), Optional: pointer.True()},
	}}
}
