package slacktest

import "slices"

// rule is what one type of block must look like, and where it may stand.
type rule struct {
	check func(k *blockCheck, at string, b object)
	where []surface // nil is everywhere but in streams only
}

func (r rule) allowed(where surface) bool {
	if r.where == nil {
		return true
	}
	return slices.Contains(r.where, where)
}

const eitherText = "mrkdwn, plain_text"

func blockRules() map[string]rule {
	messages := []surface{inMessage, inStream}
	views := []surface{inModal, inHome}
	stream := []surface{inStream}
	anything := func(*blockCheck, string, object) {}
	rules := map[string]rule{
		"section": {check: checkSection},
		"divider": {check: anything},
		"header": {check: func(k *blockCheck, at string, b object) {
			k.textObject(at+"/text", b["text"], k.z.Header, "plain_text")
		}},
		"context":         {check: func(k *blockCheck, at string, b object) { k.items(at, b, "elements", 10, k.contextElement) }},
		"actions":         {check: func(k *blockCheck, at string, b object) { k.items(at, b, "elements", 25, k.element) }},
		"context_actions": {check: func(k *blockCheck, at string, b object) { k.items(at, b, "elements", 5, k.element) }, where: messages},
		"image":           {check: checkImage},
		"markdown":        {check: checkMarkdown, where: messages},
		"rich_text":       {check: func(k *blockCheck, at string, b object) { k.items(at, b, "elements", 1000, k.richText) }},
		"table":           {check: checkTable, where: messages},
		"input":           {check: checkInput, where: append(views, inMessage)},
		"video":           {check: anything}, "file": {check: anything, where: messages}, "call": {check: anything, where: messages},
		"plan": {check: anything, where: messages}, "task_card": {check: anything, where: messages},
	}
	for _, kind := range []string{"alert", "card", "carousel", "container", "data_table", "data_visualization", "layout"} {
		rules[kind] = rule{check: anything, where: stream}
	}
	return rules
}

func checkSection(k *blockCheck, at string, b object) {
	if b["text"] == nil && b["fields"] == nil {
		k.fail(at, "missing required field: text")
		return
	}
	if b["text"] != nil {
		k.textObject(at+"/text", b["text"], k.z.Section, eitherText)
	}
	if b["fields"] != nil {
		k.items(at, b, "fields", 10, func(at string, v any) { k.textObject(at, v, k.z.Field, eitherText) })
	}
	if b["accessory"] != nil {
		k.element(at+"/accessory", b["accessory"])
	}
}

func checkImage(k *blockCheck, at string, b object) {
	k.plain(at, b, "alt_text", 2000)
	if b["slack_file"] == nil {
		k.plain(at, b, "image_url", k.z.URL)
	}
}

// checkMarkdown: a text over the limit is msg_too_long and not a bad block.
func checkMarkdown(k *blockCheck, at string, b object) {
	text, ok := b["text"].(string)
	if !ok || text == "" {
		k.fail(at, "missing required field: text")
		return
	}
	k.text += units(text)
	k.long = k.long || units(text) > k.z.MarkdownBlock
}

func checkTable(k *blockCheck, at string, b object) {
	if k.tables++; k.tables > 1 {
		k.fail(at, "only one table allowed")
	}
	k.items(at, b, "rows", 100, func(at string, v any) {
		row, ok := v.([]any)
		if !ok || len(row) > 20 {
			k.fail(at, "must be a list of at most 20 cells")
			return
		}
		for _, cell := range row {
			k.text += units(plainText(cell))
		}
	})
}

func checkInput(k *blockCheck, at string, b object) {
	k.textObject(at+"/label", b["label"], 2000, "plain_text")
	if b["element"] == nil {
		k.fail(at, "missing required field: element")
		return
	}
	k.element(at+"/element", b["element"])
}

func (k *blockCheck) contextElement(at string, value any) {
	if o, ok := value.(object); ok && o["type"] == "image" {
		checkImage(k, at, o)
		return
	}
	k.textObject(at, value, k.z.Section, eitherText)
}

func (k *blockCheck) richText(at string, value any) {
	o, _ := value.(object)
	kind, _ := o["type"].(string)
	if !slices.Contains([]string{"rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote"}, kind) {
		k.fail(at+"/type", "unsupported type: %s", kind)
		return
	}
	k.text += units(plainText(o))
}
