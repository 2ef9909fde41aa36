package discordtest

import (
	"fmt"
	"strings"
)

// Options are the options of a slash command by name: string, int, float64,
// bool, a File, or the id of a user, channel or role.
type Options map[string]any

// Slash uses a slash command and returns the id of the interaction. The command
// is its name with its subcommands, such as "ask" or "footnote config". What a
// person could not do is a mistake of the test: a command that is not there, an
// option that is missing.
func (s *Server) Slash(channel, user, path string, options Options) string {
	defer s.lock()()
	return s.useCommand(commandInteraction, channel, user, path, options, "")
}

// Autocomplete types into an option of a slash command and returns the id of the
// interaction; Interaction gives the choices. The text so far is the option's
// value.
func (s *Server) Autocomplete(channel, user, path, focused string, options Options) string {
	defer s.lock()()
	return s.useCommand(completeInteraction, channel, user, path, options, focused)
}

func (s *Server) useCommand(kind int, channel, user, path string, options Options, focused string) string {
	steps := strings.Fields(path)
	if len(steps) == 0 {
		s.problem("Slash: an empty command")
		return ""
	}
	c, cmd := s.commandIn("Slash /"+path, channel, user, steps[0], chatCommand)
	if cmd == nil {
		return ""
	}
	defined, data, inner := list(cmd.body, "options"), object{"id": cmd.id, "name": steps[0], "type": chatCommand}, object(nil)
	if c.Guild != "" && cmd.guild != "" {
		data["guild_id"] = cmd.guild
	}
	top := data
	for _, step := range steps[1:] {
		sub := named(defined, step)
		if sub == nil || whole(sub, "type") > optGroup {
			s.problem("Slash: /%s has no subcommand %q", path, step)
			return ""
		}
		inner = object{"name": step, "type": whole(sub, "type")}
		top["options"] = []object{inner}
		top, defined = inner, list(sub, "options")
	}
	given, resolved, err := s.fillOptions(c, defined, options, focused)
	if err != nil {
		s.problem("Slash /%s: %v", path, err)
		return ""
	}
	top["options"] = given
	if len(resolved) > 0 {
		data["resolved"] = resolved
	}
	return s.begin(&interaction{kind: kind, user: user, channel: channel, command: cmd, name: path}, data)
}

func named(options []object, name string) object {
	for _, o := range options {
		if words(o, "name") == name {
			return o
		}
	}
	return nil
}

// commandIn finds a command as a user finds it in a channel: one of the guild
// before a global one, if context and permissions let them see it.
func (s *Server) commandIn(what, channel, user, name string, kind int) (*Channel, *command) {
	c := s.channels[channel]
	if c == nil || s.users[user] == nil {
		s.problem("%s: there is no channel %q or no user %q", what, channel, user)
		return nil, nil
	}
	p := s.may(user, c)
	context := 0
	if c.Kind == Direct {
		context = 1
	}
	if !p.Has(ViewChannel | UseCommands) {
		s.problem("%s: %s may not use commands in channel %s", what, s.users[user].Name, channel)
		return nil, nil
	}
	for _, scope := range []string{c.Guild, ""} {
		for _, x := range s.commands[scope] {
			if x.name() != name || x.kind() != kind {
				continue
			}
			if !x.inContext(context) || context == 0 && !p.Has(x.needs()) {
				s.problem("%s: %s cannot see that command in channel %s", what, s.users[user].Name, channel)
				return nil, nil
			}
			return c, x
		}
	}
	s.problem("%s: there is no such command in channel %s", what, channel)
	return nil, nil
}

// fillOptions turns the options of a person into those of the interaction, in the
// order of the definition.
func (s *Server) fillOptions(c *Channel, defined []object, given Options, focused string) ([]object, object, error) {
	out, resolved := []object{}, object{}
	for name := range given {
		if o := named(defined, name); o == nil || whole(o, "type") <= optGroup {
			return nil, nil, fmt.Errorf("there is no option %q", name)
		}
	}
	for _, o := range defined {
		name, kind := words(o, "name"), whole(o, "type")
		v, ok := given[name]
		if !ok {
			if o["required"] == true && focused == "" {
				return nil, nil, fmt.Errorf("option %q is required", name)
			}
			continue
		}
		value, err := s.option(c, kind, v, resolved)
		if err == nil && focused == "" {
			err = fits(o, value)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("option %q: %w", name, err)
		}
		item := object{"name": name, "type": kind, "value": value}
		if name == focused {
			if o["autocomplete"] != true {
				return nil, nil, fmt.Errorf("option %q has no autocomplete", name)
			}
			item["focused"] = true
		}
		out = append(out, item)
	}
	return out, resolved, nil
}

// fits holds a value against the choices and lengths of its option.
func fits(o object, value any) error {
	choices := list(o, "choices")
	found := len(choices) == 0
	for _, c := range choices {
		found = found || fmt.Sprint(c["value"]) == fmt.Sprint(value)
	}
	if !found {
		return fmt.Errorf("%v is none of the choices", value)
	}
	text, ok := value.(string)
	if !ok || whole(o, "type") != optString {
		return nil
	}
	most := 6000
	if n := whole(o, "max_length"); n > 0 {
		most = n
	}
	if n := len([]rune(text)); n > most || n < whole(o, "min_length") {
		return fmt.Errorf("%d characters are not allowed", n)
	}
	return nil
}

// option makes the value of one option, and adds what it stands for.
func (s *Server) option(c *Channel, kind int, v any, resolved object) (any, error) {
	wrong := fmt.Errorf("%v (%T) does not fit type %d", v, v, kind)
	switch kind {
	case optString:
		if _, ok := v.(string); !ok {
			return nil, wrong
		}
		return v, nil
	case optInteger, optNumber:
		switch v.(type) {
		case int, float64:
			return v, nil
		}
		return nil, wrong
	case optBoolean:
		if _, ok := v.(bool); !ok {
			return nil, wrong
		}
		return v, nil
	case optAttachment:
		f, ok := v.(File)
		if !ok {
			return nil, wrong
		}
		a := s.keepFile(c.ID, f.Name, f.Type, f.Data, true)
		into(resolved, "attachments")[a.id] = s.fileJSON(a)
		return a.id, nil
	}
	id, ok := v.(string)
	if !ok || !s.resolve(c, kind, id, resolved) {
		return nil, wrong
	}
	return id, nil
}

func into(resolved object, name string) object {
	if resolved[name] == nil {
		resolved[name] = object{}
	}
	return resolved[name].(object) // made here
}

// resolve adds the user, channel or role of an option.
func (s *Server) resolve(c *Channel, kind int, id string, resolved object) bool {
	g := s.guilds[c.Guild]
	switch {
	case (kind == optUser || kind == optMentionable) && s.users[id] != nil:
		into(resolved, "users")[id] = s.userJSON(id)
		if g != nil && g.members[id] != nil {
			into(resolved, "members")[id] = s.memberJSON(g.members[id], false)
		}
	case kind == optChannel && s.channels[id] != nil:
		ch := s.channelJSON(s.channels[id])
		ch["permissions"] = s.may(BotUser, s.channels[id]).text()
		into(resolved, "channels")[id] = ch
	case (kind == optRole || kind == optMentionable) && g != nil && g.role(id) != nil:
		into(resolved, "roles")[id] = s.roleJSON(g.role(id))
	default:
		return false
	}
	return true
}

// ContextMenu uses a command of the menu of a message, or of a user if target is
// a user's id, and returns the id of the interaction. The application gets the
// content of that message in any case.
func (s *Server) ContextMenu(channel, user, name, target string) string {
	defer s.lock()()
	kind := messageCommand
	if s.users[target] != nil {
		kind = userCommand
	}
	c, cmd := s.commandIn("ContextMenu "+name, channel, user, name, kind)
	if cmd == nil {
		return ""
	}
	data := object{"id": cmd.id, "name": name, "type": kind, "target_id": target}
	resolved := object{}
	if kind == userCommand {
		s.resolve(c, optUser, target, resolved)
	} else {
		m := s.find("ContextMenu", target)
		if m == nil || m.channel != channel {
			s.problem("ContextMenu: message %q is not in channel %s", target, channel)
			return ""
		}
		into(resolved, "messages")[target] = s.messageJSON(m)
	}
	data["resolved"] = resolved
	return s.begin(&interaction{kind: commandInteraction, menu: true, user: user, channel: channel, command: cmd, name: name}, data)
}
