package typesensetest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
)

// field is a field of a schema.
type field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Facet    bool   `json:"facet"`
	Index    *bool  `json:"index,omitempty"`
	Optional bool   `json:"optional"`
	Drop     bool   `json:"drop,omitempty"`
	NumDim   int    `json:"num_dim,omitempty"`
}

func (f field) indexed() bool { return f.Index == nil || *f.Index }

// collection holds records by id.
type collection struct {
	Name   string  `json:"name"`
	Fields []field `json:"fields"`

	records map[string]record
	serial  int // counts records as they come
}

// record is a stored document.
type record struct {
	values map[string]any
	serial int
}

// described is a collection as responses show it.
type described struct {
	Name      string  `json:"name"`
	Fields    []field `json:"fields"`
	Documents int     `json:"num_documents"`
	Created   int64   `json:"created_at"`
}

func (c *collection) described() described {
	return described{c.Name, c.Fields, len(c.records), now()}
}

func (c *collection) field(name string) (field, bool) {
	i := slices.IndexFunc(c.Fields, func(f field) bool { return f.Name == name })
	if i < 0 {
		return field{}, false
	}
	return c.Fields[i], true
}

// find follows aliases.
func (s *Server) find(name string) *collection {
	if to, ok := s.aliases[name]; ok {
		name = to
	}
	return s.collections[name]
}

// Collections are the names of all collections, sorted.
func (s *Server) Collections() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.collections))
}

// Alias tells where an alias leads, "" if there is none.
func (s *Server) Alias(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.aliases[name]
}

// Add makes an empty collection under an alias, as another version of Footnote or
// somebody else would have.
func (s *Server) Add(alias, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collections[name] = &collection{Name: name, Fields: []field{{Name: "text", Type: "string"}}, records: map[string]record{}}
	s.aliases[alias] = name
}

// Lose removes a collection and leaves its alias.
func (s *Server) Lose(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.collections, name)
}

func lost() (int, any) { return http.StatusNotFound, message{"Not Found"} }

func bad(text string) (int, any) { return http.StatusBadRequest, message{text} }

func (s *Server) listCollections(*http.Request, []byte) (int, any) {
	out := []described{}
	for _, name := range slices.Sorted(maps.Keys(s.collections)) {
		out = append(out, s.collections[name].described())
	}
	return http.StatusOK, out
}

func (s *Server) createCollection(_ *http.Request, body []byte) (int, any) {
	c := &collection{records: map[string]record{}}
	if err := json.Unmarshal(body, c); err != nil {
		return bad(err.Error())
	}
	if s.collections[c.Name] != nil || s.aliases[c.Name] != "" {
		return http.StatusConflict, message{"A collection with name `" + c.Name + "` already exists."}
	}
	for _, f := range c.Fields {
		if !f.indexed() && !f.Optional {
			return bad("Field `" + f.Name + "` must be optional since it is marked as non-indexable.")
		}
	}
	s.collections[c.Name] = c
	return http.StatusCreated, c.described()
}

func (s *Server) getCollection(r *http.Request, _ []byte) (int, any) {
	c := s.find(r.PathValue("name"))
	if c == nil {
		return lost()
	}
	return http.StatusOK, c.described()
}

func (s *Server) deleteCollection(r *http.Request, _ []byte) (int, any) {
	c := s.find(r.PathValue("name"))
	if c == nil {
		return lost()
	}
	delete(s.collections, c.Name)
	return http.StatusOK, c.described()
}

// patchCollection adds and drops fields. What records hold of a dropped one stays on
// disk, as it does on a real server.
func (s *Server) patchCollection(r *http.Request, body []byte) (int, any) {
	c := s.find(r.PathValue("name"))
	if c == nil {
		return lost()
	}
	var change struct {
		Fields []field `json:"fields"`
	}
	if err := json.Unmarshal(body, &change); err != nil {
		return bad(err.Error())
	}
	for _, f := range change.Fields {
		_, there := c.field(f.Name)
		switch {
		case f.Drop && !there:
			return bad("Field `" + f.Name + "` is not part of collection schema.")
		case f.Drop:
			c.Fields = slices.DeleteFunc(slices.Clone(c.Fields), func(o field) bool { return o.Name == f.Name })
		case there:
			return bad("Field `" + f.Name + "` is already part of the schema: To change this field, drop it first before adding it back to the schema.")
		case !f.Optional && len(c.records) > 0:
			return bad("Field `" + f.Name + "` has been declared in the schema, but is not found in the documents already present in the collection.")
		default:
			c.Fields = append(slices.Clone(c.Fields), f)
		}
	}
	return http.StatusOK, change
}

type alias struct {
	Name       string `json:"name"`
	Collection string `json:"collection_name"`
}

func (s *Server) getAlias(r *http.Request, _ []byte) (int, any) {
	name := r.PathValue("name")
	to, ok := s.aliases[name]
	if !ok {
		return lost()
	}
	return http.StatusOK, alias{name, to}
}

func (s *Server) putAlias(r *http.Request, body []byte) (int, any) {
	a := alias{Name: r.PathValue("name")}
	if err := json.Unmarshal(body, &a); err != nil || a.Collection == "" {
		return bad("Parameter `collection_name` is required.")
	}
	if s.collections[a.Name] != nil {
		return bad("Name `" + a.Name + "` conflicts with an existing collection name.")
	}
	s.aliases[a.Name] = a.Collection
	return http.StatusOK, a
}

func (s *Server) deleteAlias(r *http.Request, body []byte) (int, any) {
	status, out := s.getAlias(r, body)
	delete(s.aliases, r.PathValue("name"))
	return status, out
}
