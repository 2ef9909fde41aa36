package discordtest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Types of commands and of their options.
const (
	chatCommand     = 1
	userCommand     = 2
	messageCommand  = 3
	optSub          = 1
	optGroup        = 2
	optString       = 3
	optInteger      = 4
	optBoolean      = 5
	optUser         = 6
	optChannel      = 7
	optRole         = 8
	optMentionable  = 9
	optNumber       = 10
	optAttachment   = 11
	maxCommandTotal = 8000
)

// command is a registered command, as it came in, with what Discord adds.
type command struct {
	id, guild, version string
	body               object
}

func (c *command) name() string { return words(c.body, "name") }
func (c *command) kind() int    { return max(1, whole(c.body, "type")) }

func (c *command) json() object {
	out := object{"id": c.id, "application_id": AppID, "version": c.version, "type": c.kind(), "nsfw": false,
		"default_member_permissions": nil, "dm_permission": true, "contexts": nil, "integration_types": []int{0}}
	for k, v := range c.body {
		out[k] = v
	}
	out["type"] = c.kind()
	if c.guild != "" {
		out["guild_id"] = c.guild
		delete(out, "dm_permission")
	}
	if _, ok := out["description"]; !ok {
		out["description"] = ""
	}
	return out
}

// needs is the permission that a member must have to see the command.
func (c *command) needs() Permission {
	n, _ := strconv.ParseInt(words(c.body, "default_member_permissions"), 10, 64)
	return Permission(n)
}

// inContext tells whether the command may be used in a guild (0) or in the
// bot's direct messages (1).
func (c *command) inContext(context int) bool {
	if contexts, ok := c.body["contexts"].([]any); ok {
		return slices.ContainsFunc(contexts, func(v any) bool { n, _ := v.(float64); return int(n) == context })
	}
	dm, ok := c.body["dm_permission"].(bool)
	return context == 0 || c.guild == "" && (!ok || dm)
}

// commandNames fits names in every script, without capitals.
var commandNames = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)

var locales = strings.Fields("id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja zh-TW ko")

// checkCommand holds a command against Discord's limits.
func checkCommand(m *mistakes, at string, c object) {
	kind := max(1, whole(c, "type"))
	checkName(m, at, c, kind == chatCommand)
	if kind != chatCommand {
		if words(c, "description") != "" || len(list(c, "options")) > 0 {
			m.add(at+"description", "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION", "Context menu commands cannot have description or options")
		}
		return
	}
	checkDescription(m, at, c)
	checkOptions(m, at, list(c, "options"), 0)
	if n := commandTotal(c); n > maxCommandTotal {
		m.add(at+"_", "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (%d)", maxCommandTotal)
	}
}

func checkName(m *mistakes, at string, c object, strict bool) {
	check := func(path, name string) {
		if strict && (!commandNames.MatchString(name) || strings.ToLower(name) != name) {
			m.add(path, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
		} else if !strict {
			m.text(path, name, 1, 32)
		}
	}
	check(at+"name", words(c, "name"))
	eachLocale(m, at+"name_localizations", c["name_localizations"], check)
}

func checkDescription(m *mistakes, at string, c object) {
	check := func(path, text string) { m.text(path, text, 1, 100) }
	check(at+"description", words(c, "description"))
	eachLocale(m, at+"description_localizations", c["description_localizations"], check)
}

func eachLocale(m *mistakes, at string, v any, check func(path, text string)) {
	texts, _ := v.(object)
	for locale, text := range texts {
		if !slices.Contains(locales, locale) {
			m.add(at+"."+locale, "BASE_TYPE_CHOICES", "Value must be one of %v.", locales)
			continue
		}
		t, _ := text.(string)
		check(at+"."+locale, t)
	}
}

// checkOptions checks the options of a command, or of a subcommand below it.
func checkOptions(m *mistakes, at string, options []object, depth int) {
	m.count(at+"options", len(options), 0, 25)
	optional, subs := false, 0
	var names []string
	for i, o := range options {
		path := fmt.Sprintf("%soptions.%d.", at, i)
		kind, required := whole(o, "type"), o["required"] == true
		checkName(m, path, o, true)
		checkDescription(m, path, o)
		switch {
		case kind < optSub || kind > optAttachment:
			m.add(path+"type", "BASE_TYPE_CHOICES", "Value must be between 1 and 11.")
		case kind == optGroup && depth > 0 || kind == optSub && depth > 1:
			m.add(path+"type", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-command option type is invalid at this depth")
		case kind <= optGroup:
			subs++
			checkOptions(m, path, list(o, "options"), depth+3-kind)
		}
		if required && optional {
			m.add(path+"required", "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options")
		}
		optional = optional || !required
		if slices.Contains(names, words(o, "name")) {
			m.add(path+"name", "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", "Option name already exists")
		}
		names = append(names, words(o, "name"))
		checkChoices(m, path, o)
	}
	if subs > 0 && subs < len(options) {
		m.add(at+"options", "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Sub-command and sub-command group option types are mutually exclusive to all other types")
	}
}

func checkChoices(m *mistakes, at string, o object) {
	choices := list(o, "choices")
	m.count(at+"choices", len(choices), 0, 25)
	if len(choices) > 0 && o["autocomplete"] == true {
		m.add(at+"autocomplete", "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES", "Cannot be true if choices are set")
	}
	for i, c := range choices {
		checkChoice(m, fmt.Sprintf("%schoices.%d.", at, i), c)
	}
}

func checkChoice(m *mistakes, at string, c object) {
	m.text(at+"name", words(c, "name"), 1, 100)
	switch v := c["value"].(type) {
	case string:
		m.text(at+"value", v, 1, 100)
	case float64:
	default:
		m.add(at+"value", "BASE_TYPE_REQUIRED", "This field is required")
	}
}

// commandTotal is what Discord adds up over a command: names, descriptions and
// values of choices.
func commandTotal(c object) int {
	n := len([]rune(words(c, "name"))) + len([]rune(words(c, "description")))
	for _, choice := range list(c, "choices") {
		n += len([]rune(words(choice, "name"))) + len([]rune(fmt.Sprint(choice["value"])))
	}
	for _, o := range list(c, "options") {
		n += commandTotal(o)
	}
	return n
}

// checkSet checks all commands of one scope together.
func checkSet(m *mistakes, set []object) {
	most := map[int]int{chatCommand: 100, userCommand: 15, messageCommand: 15}
	count, seen := map[int]int{}, map[string]bool{}
	for i, c := range set {
		kind := max(1, whole(c, "type"))
		checkCommand(m, fmt.Sprintf("%d.", i), c)
		key := fmt.Sprint(kind, " ", words(c, "name"))
		if seen[key] {
			m.add(fmt.Sprintf("%d.name", i), "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
		}
		seen[key] = true
		if count[kind]++; count[kind] > most[kind] {
			m.add("_", "APPLICATION_COMMANDS_MAX", "Maximum number of application commands reached (%d)", most[kind])
		}
	}
}
