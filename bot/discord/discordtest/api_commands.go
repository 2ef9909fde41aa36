package discordtest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
)

// scope is the guild of a command route, "" for the global commands.
func (s *Server) scope(c *call) (string, error) {
	if c.PathValue("app") != AppID {
		return "", fail(http.StatusForbidden, 20012, "You are not authorized to perform this action on this application")
	}
	id := c.PathValue("guild")
	if id == "" {
		return "", nil
	}
	if g := s.guilds[id]; g == nil || !g.bot {
		return "", missingAccess()
	}
	return id, nil
}

func commandsJSON(list []*command, withLocales bool) []object {
	out := []object{}
	for _, c := range list {
		body := c.json()
		if !withLocales {
			delete(body, "name_localizations")
			delete(body, "description_localizations")
		}
		out = append(out, body)
	}
	return out
}

func (s *Server) apiCommands(c *call) (any, error) {
	scope, err := s.scope(c)
	if err != nil {
		return nil, err
	}
	return commandsJSON(s.commands[scope], c.URL.Query().Get("with_localizations") == "true"), nil
}

// apiSetCommands replaces all commands of a scope. A command that keeps its
// name and type keeps its id.
func (s *Server) apiSetCommands(c *call) (any, error) {
	scope, err := s.scope(c)
	if err != nil {
		return nil, err
	}
	var m mistakes
	var set []object
	if err := json.Unmarshal(c.body, &set); err != nil {
		m.add("_", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
		return nil, m.err()
	}
	checkSet(&m, set)
	if err := m.err(); err != nil {
		return nil, err
	}
	var next []*command
	for _, body := range set {
		next = append(next, s.register(scope, body))
	}
	s.commands[scope] = next
	return commandsJSON(next, true), nil
}

// register makes a command, or gives an equal one its new body.
func (s *Server) register(scope string, body object) *command {
	out := &command{id: "", guild: scope, version: s.nextID(), body: body}
	for _, old := range s.commands[scope] {
		if old.name() == out.name() && old.kind() == out.kind() {
			out.id = old.id
		}
	}
	if out.id == "" {
		out.id = s.nextID()
	}
	return out
}

func (s *Server) apiAddCommand(c *call) (any, error) {
	scope, err := s.scope(c)
	if err != nil {
		return nil, err
	}
	body := object{}
	if err := json.Unmarshal(c.body, &body); err != nil {
		return nil, fail(http.StatusBadRequest, 50035, "Invalid Form Body")
	}
	var m mistakes
	checkCommand(&m, "", body)
	if err := m.err(); err != nil {
		return nil, err
	}
	next := s.register(scope, body)
	s.commands[scope] = append(s.without(scope, next.id), next)
	return next.json(), nil
}

func (s *Server) without(scope, id string) []*command {
	return slices.DeleteFunc(slices.Clone(s.commands[scope]), func(x *command) bool { return x.id == id })
}

// commandFor is the command in a path.
func (s *Server) commandFor(c *call) (*command, string, error) {
	scope, err := s.scope(c)
	if err != nil {
		return nil, "", err
	}
	for _, x := range s.commands[scope] {
		if x.id == c.PathValue("command") {
			return x, scope, nil
		}
	}
	return nil, "", unknown(10063, "application command")
}

func (s *Server) apiCommand(c *call) (any, error) {
	x, _, err := s.commandFor(c)
	if err != nil {
		return nil, err
	}
	return x.json(), nil
}

func (s *Server) apiEditCommand(c *call) (any, error) {
	x, _, err := s.commandFor(c)
	if err != nil {
		return nil, err
	}
	change, body := object{}, maps.Clone(x.body)
	if err := json.Unmarshal(c.body, &change); err != nil {
		return nil, fail(http.StatusBadRequest, 50035, "Invalid Form Body")
	}
	maps.Copy(body, change)
	var m mistakes
	checkCommand(&m, "", body)
	if err := m.err(); err != nil {
		return nil, err
	}
	x.body, x.version = body, s.nextID()
	return x.json(), nil
}

func (s *Server) apiDeleteCommand(c *call) (any, error) {
	x, scope, err := s.commandFor(c)
	if err != nil {
		return nil, err
	}
	s.commands[scope] = s.without(scope, x.id)
	return nil, nil
}
