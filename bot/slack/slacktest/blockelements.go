package slacktest

import "slices"

// element checks an interactive element or an image.
func (k *blockCheck) element(at string, value any) {
	o, ok := value.(object)
	if !ok {
		k.fail(at, "must be an object")
		return
	}
	if id, _ := o["action_id"].(string); id != "" {
		k.limit(at+"/action_id", id, k.z.ActionID)
	}
	kind, _ := o["type"].(string)
	switch kind {
	case "button", "workflow_button":
		k.button(at, o)
	case "feedback_buttons":
		for _, side := range []string{"positive_button", "negative_button"} {
			b, ok := o[side].(object)
			if !ok {
				k.fail(at, "missing required field: %s", side)
				continue
			}
			k.textObject(at+"/"+side+"/text", b["text"], k.z.ButtonText, "plain_text")
			k.plain(at+"/"+side, b, "value", k.z.ButtonValue)
		}
	case "icon_button":
		k.textObject(at+"/text", o["text"], k.z.ButtonText, "plain_text")
		k.plain(at, o, "icon", k.z.ButtonText)
	case "image":
		checkImage(k, at, o)
	case "static_select", "multi_static_select", "radio_buttons", "checkboxes", "overflow":
		k.options(at, kind, o)
	default:
		if !slices.Contains(freeElements, kind) {
			k.fail(at+"/type", "unsupported type: %s", kind)
		}
	}
}

// freeElements need nothing that this server checks.
var freeElements = []string{"plain_text_input", "rich_text_input", "email_text_input", "url_text_input", "number_input",
	"datepicker", "timepicker", "datetimepicker", "file_input", "users_select", "conversations_select", "channels_select",
	"external_select", "multi_users_select", "multi_conversations_select", "multi_channels_select", "multi_external_select"}

func (k *blockCheck) button(at string, o object) {
	before := k.text
	k.textObject(at+"/text", o["text"], k.z.ButtonText, "plain_text")
	k.text = before // labels are not message text
	if value, ok := o["value"].(string); ok {
		k.limit(at+"/value", value, k.z.ButtonValue)
	}
	if url, ok := o["url"].(string); ok {
		k.limit(at+"/url", url, k.z.URL)
	}
	if style, ok := o["style"].(string); ok && style != "primary" && style != "danger" {
		k.fail(at+"/style", "must be one of: primary, danger")
	}
}

func (k *blockCheck) options(at, kind string, o object) {
	most := map[string]int{"radio_buttons": 10, "checkboxes": 10, "overflow": 5}[kind]
	if most == 0 {
		most = 100
	}
	if kind == "static_select" && o["option_groups"] != nil {
		return
	}
	before := k.text
	k.items(at, o, "options", most, func(at string, v any) {
		option, ok := v.(object)
		if !ok {
			k.fail(at, "must be an object")
			return
		}
		k.textObject(at+"/text", option["text"], k.z.ButtonText, eitherText)
		k.plain(at, option, "value", 150)
	})
	k.text = before
}
