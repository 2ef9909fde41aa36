package discordtest

import (
	"fmt"
	"slices"
	"strings"
)

// Types of components.
const (
	actionRow    = 1
	buttonType   = 2
	stringSelect = 3
	textInput    = 4
	userSelect   = 5
	channelPick  = 8
	sectionType  = 9
	textDisplay  = 10
	mediaGallery = 12
	fileType     = 13
	separator    = 14
	containerTyp = 17

	linkStyle    = 5
	premiumStyle = 6

	flagSuppress  = 1 << 2
	flagEphemeral = 1 << 6
	flagLoading   = 1 << 7
	flagHasThread = 1 << 5
	flagV2        = 1 << 15
)

// layout is one check of all components of a message or modal.
type layout struct {
	*mistakes
	ids   []string // custom_ids so far; they must differ
	total int
	text  int
	v2    bool
}

// checkComponents holds the components of a message against Discord's limits.
// With v2 the newer ones may be used, at most 40, with 4,000 characters of
// text.
func checkComponents(m *mistakes, components []object, v2 bool) {
	l := &layout{mistakes: m, v2: v2}
	if !v2 {
		m.count("components", len(components), 0, maxRows)
	}
	for i, c := range components {
		l.block(fmt.Sprintf("components.%d", i), c)
	}
	if l.total > 40 {
		m.add("components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 40 in length.")
	}
	if l.text > 4000 {
		m.add("components", "COMPONENT_MAX_TOTAL_COMPONENTS_TEXT", "The total displayable text size exceeds the maximum size of 4000")
	}
}

// block is a component at the top level, or in a container.
func (l *layout) block(at string, c object) {
	l.total++
	kind := whole(c, "type")
	switch {
	case kind == actionRow:
		l.row(at, c)
	case !l.v2:
		l.add(at+".type", "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (1,).")
	case kind == textDisplay:
		l.mistakes.text(at+".content", words(c, "content"), 1, 4000)
		l.text += len([]rune(words(c, "content")))
	case kind == sectionType:
		l.count(at+".components", len(list(c, "components")), 1, 3)
		l.children(at, c)
		if accessory, ok := c["accessory"].(object); ok && whole(accessory, "type") == buttonType {
			l.button(at+".accessory", accessory)
		}
	case kind == containerTyp:
		l.children(at, c)
	case kind == mediaGallery, kind == fileType, kind == separator:
	default:
		l.add(at+".type", "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (1, 9, 10, 12, 13, 14, 17).")
	}
}

func (l *layout) children(at string, c object) {
	for i, child := range list(c, "components") {
		l.block(fmt.Sprintf("%s.components.%d", at, i), child)
	}
}

func (l *layout) row(at string, row object) {
	items := list(row, "components")
	l.count(at+".components", len(items), 1, 5)
	for i, item := range items {
		l.total++
		path := fmt.Sprintf("%s.components.%d", at, i)
		switch kind := whole(item, "type"); {
		case kind == buttonType:
			l.button(path, item)
		case kind == stringSelect || kind >= userSelect && kind <= channelPick:
			if len(items) > 1 {
				l.add(at+".components", "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width")
			}
			l.menu(path, item)
		default:
			l.add(path+".type", "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of (2, 3, 5, 6, 7, 8).")
		}
	}
}

func (l *layout) button(at string, b object) {
	l.mistakes.text(at+".label", words(b, "label"), 0, 80)
	_, emoji := b["emoji"].(object)
	style := whole(b, "style")
	if style < 1 || style > premiumStyle {
		l.add(at+".style", "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3, 4, 5, 6}.")
	}
	if words(b, "label") == "" && !emoji && style != premiumStyle {
		l.add(at, "BUTTON_COMPONENT_MISSING_LABEL_OR_EMOJI", "A button must have a label or an emoji")
	}
	switch style {
	case linkStyle:
		if link := words(b, "url"); !webAddress(link) && !strings.HasPrefix(link, "discord://") {
			l.add(at+".url", "URL_TYPE_INVALID_URL", "Not a well formed URL.")
		}
		l.mistakes.text(at+".url", words(b, "url"), 1, 512)
		if words(b, "custom_id") != "" {
			l.add(at, "BUTTON_COMPONENT_CUSTOM_ID_AND_URL", "A custom id and url cannot both be specified")
		}
	case premiumStyle:
	default:
		l.id(at, b)
	}
}

func (l *layout) menu(at string, m object) {
	l.id(at, m)
	l.mistakes.text(at+".placeholder", words(m, "placeholder"), 0, 150)
	if whole(m, "type") != stringSelect {
		return
	}
	options := list(m, "options")
	l.count(at+".options", len(options), 1, 25)
	var values []string
	for i, o := range options {
		path := fmt.Sprintf("%s.options.%d", at, i)
		l.mistakes.text(path+".label", words(o, "label"), 1, 100)
		l.mistakes.text(path+".value", words(o, "value"), 1, 100)
		l.mistakes.text(path+".description", words(o, "description"), 0, 100)
		if slices.Contains(values, words(o, "value")) {
			l.add(path+".value", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
		}
		values = append(values, words(o, "value"))
	}
	if most := whole(m, "max_values"); most > 25 || most > len(options) && len(options) > 0 {
		l.add(at+".max_values", "NUMBER_TYPE_MAX", "int value should be less than or equal to %d.", min(25, len(options)))
	}
}

// id checks a custom_id: there, at most 100 characters, and no other's.
func (l *layout) id(at string, c object) {
	id := words(c, "custom_id")
	l.mistakes.text(at+".custom_id", id, 1, 100)
	if id != "" && slices.Contains(l.ids, id) {
		l.add(at+".custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	l.ids = append(l.ids, id)
}

// checkModal holds a modal against Discord's limits.
func checkModal(m *mistakes, data object) {
	m.text("data.title", words(data, "title"), 1, 45)
	m.text("data.custom_id", words(data, "custom_id"), 1, 100)
	rows := list(data, "components")
	m.count("data.components", len(rows), 1, maxRows)
	l := &layout{mistakes: m}
	for i, row := range rows {
		at := fmt.Sprintf("data.components.%d.components.0", i)
		items := list(row, "components")
		if whole(row, "type") != actionRow || len(items) != 1 || whole(items[0], "type") != textInput {
			m.add(fmt.Sprintf("data.components.%d", i), "UNION_TYPE_CHOICES", "Value must be an action row with one text input.")
			continue
		}
		l.id(at, items[0])
		m.text(at+".label", words(items[0], "label"), 1, 45)
		m.text(at+".placeholder", words(items[0], "placeholder"), 0, 100)
		m.text(at+".value", words(items[0], "value"), 0, 4000)
		if style := whole(items[0], "style"); style != 1 && style != 2 {
			m.add(at+".style", "BASE_TYPE_CHOICES", "Value must be one of {1, 2}.")
		}
		if whole(items[0], "min_length") > 4000 || whole(items[0], "max_length") > 4000 {
			m.add(at+".max_length", "NUMBER_TYPE_MAX", "int value should be less than or equal to 4000.")
		}
	}
}

// controls walks all buttons and selects in components.
func controls(components []object, visit func(object)) {
	for _, c := range components {
		if kind := whole(c, "type"); kind == buttonType || kind == stringSelect || kind >= userSelect && kind <= channelPick {
			visit(c)
		}
		if accessory, ok := c["accessory"].(object); ok {
			controls([]object{accessory}, visit)
		}
		controls(list(c, "components"), visit)
	}
}

// displayText is the text of the newer components.
func displayText(components []object) string {
	var parts []string
	for _, c := range components {
		if whole(c, "type") == textDisplay {
			parts = append(parts, words(c, "content"))
		}
		if inner := displayText(list(c, "components")); inner != "" {
			parts = append(parts, inner)
		}
	}
	return strings.Join(parts, "\n")
}
