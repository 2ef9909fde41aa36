package slacktest

import "strings"

// control is something in a message or view that a person can press or fill.
type control struct {
	block, element object
	label, value   string
	option         object // for selects
}

// elementsOf are the elements of a block.
func elementsOf(b object) []object {
	var out []object
	add := func(v any) {
		if o, ok := v.(object); ok {
			out = append(out, o)
		}
	}
	if list, ok := b["elements"].([]any); ok {
		for _, v := range list {
			add(v)
		}
	}
	add(b["accessory"])
	add(b["element"])
	return out
}

func interactive(e object) bool {
	kind, _ := e["type"].(string)
	return kind != "image" && kind != "mrkdwn" && kind != "plain_text" && kind != "" && !strings.HasPrefix(kind, "rich_text_s") &&
		kind != "rich_text_list" && kind != "rich_text_quote" && kind != "rich_text_preformatted"
}

// controls finds all of them in blocks, and in the blocks of attachments.
func controls(blocks []any) []control {
	var out []control
	for _, value := range blocks {
		b, ok := value.(object)
		if !ok {
			continue
		}
		for _, e := range elementsOf(b) {
			out = append(out, controlsOf(b, e)...)
		}
	}
	return out
}

func controlsOf(b, e object) []control {
	text := func(key string) string { t, _ := e[key].(string); return t }
	switch kind := text("type"); {
	case kind == "feedback_buttons":
		var out []control
		for _, side := range []string{"positive_button", "negative_button"} {
			if o, ok := e[side].(object); ok {
				value, _ := o["value"].(string)
				out = append(out, control{block: b, element: e, label: plainText(o["text"]), value: value})
			}
		}
		return out
	case e["options"] != nil:
		var out []control
		list, _ := e["options"].([]any)
		for _, v := range list {
			if o, ok := v.(object); ok {
				value, _ := o["value"].(string)
				out = append(out, control{block: b, element: e, label: plainText(o["text"]), value: value, option: o})
			}
		}
		return out
	case interactive(e):
		return []control{{block: b, element: e, label: plainText(e["text"]), value: text("value")}}
	}
	return nil
}

// choose finds the control that a person means: by label, by action_id, or by
// value, the first that fits.
func choose(list []control, what string) (control, bool) {
	for _, fits := range []func(control) bool{
		func(c control) bool { return c.label == what },
		func(c control) bool { return c.element["action_id"] == what },
		func(c control) bool { return c.value == what && what != "" },
	} {
		for _, c := range list {
			if fits(c) {
				return c, true
			}
		}
	}
	return control{}, false
}

// labels says what there was to press, for messages about what was not found.
func labels(list []control) string {
	var out []string
	for _, c := range list {
		id, _ := c.element["action_id"].(string)
		out = append(out, c.label+" ("+id+")")
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

// action is the control as block_actions names it.
func (c control) action(ts string) object {
	o := object{"type": c.element["type"], "action_id": c.element["action_id"], "block_id": c.block["block_id"], "action_ts": ts}
	switch {
	case c.option != nil && (kindOf(c.element) == "checkboxes" || strings.HasPrefix(kindOf(c.element), "multi_")):
		o["selected_options"] = []any{c.option}
	case c.option != nil:
		o["selected_option"] = c.option
	default:
		if c.value != "" {
			o["value"] = c.value
		}
		if c.label != "" {
			o["text"] = object{"type": "plain_text", "text": c.label, "emoji": true}
		}
	}
	return o
}

func kindOf(o object) string { kind, _ := o["type"].(string); return kind }
