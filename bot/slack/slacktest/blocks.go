package slacktest

import (
	"fmt"
	"strings"
)

// surface is where blocks stand; some types are for one of them only.
type surface int

const (
	inMessage surface = iota
	inStream          // blocks of a stream's chunks
	inModal
	inHome
)

// blockCheck collects what is wrong with blocks, each with the JSON pointer of
// the place, as Slack reports it.
type blockCheck struct {
	z      Sizes
	where  surface
	root   string // pointer of the list of blocks
	bad    []string
	ids    map[string]bool
	text   int  // units of all texts
	long   bool // a markdown block is over its limit
	tables int
}

// checkBlocks judges the blocks of a message, a stream or a view.
func checkBlocks(list []any, where surface, z Sizes) error {
	k := &blockCheck{z: z, where: where, root: "/blocks", ids: map[string]bool{}}
	most := z.Blocks
	if where == inModal || where == inHome {
		k.root, most = "/view/blocks", z.ViewBlocks
	}
	if len(list) > most {
		k.fail("", "no more than %d items allowed", most)
	}
	for i, b := range list {
		k.block(fmt.Sprintf("/%d", i), b)
	}
	code := "invalid_blocks"
	if where == inModal || where == inHome {
		code = "invalid_arguments"
	}
	switch {
	case len(k.bad) > 0:
		return refuse(code, k.bad...)
	case k.long:
		return refuse("msg_too_long")
	case (where == inMessage || where == inStream) && k.text > z.AllBlocks:
		return refuse("msg_blocks_too_long")
	}
	return nil
}

func (k *blockCheck) fail(at, format string, args ...any) {
	k.bad = append(k.bad, fmt.Sprintf(format, args...)+" [json-pointer:"+k.root+at+"]")
}

func (k *blockCheck) block(at string, value any) {
	b, ok := value.(object)
	if !ok {
		k.fail(at, "must be an object")
		return
	}
	if id, _ := b["block_id"].(string); id != "" {
		k.limit(at+"/block_id", id, k.z.ActionID)
		if k.ids[id] {
			k.fail(at+"/block_id", "block_id %q already exists", id)
		}
		k.ids[id] = true
	}
	kind, _ := b["type"].(string)
	rule, ok := blockRules()[kind]
	if !ok || !rule.allowed(k.where) {
		k.fail(at+"/type", "unsupported type: %s", kind)
		return
	}
	rule.check(k, at, b)
}

// limit checks a text that may be empty.
func (k *blockCheck) limit(at, text string, most int) {
	if units(text) > most {
		k.fail(at, "must be less than %d characters", most+1)
	}
}

// plain checks a required text that is a bare string.
func (k *blockCheck) plain(at string, o object, key string, most int) {
	text, ok := o[key].(string)
	switch {
	case !ok:
		k.fail(at, "missing required field: %s", key)
	case text == "":
		k.fail(at+"/"+key, "must be more than 0 characters")
	default:
		k.limit(at+"/"+key, text, most)
	}
	k.text += units(text)
}

// textObject checks a text object; kinds are the types that it may have.
func (k *blockCheck) textObject(at string, value any, most int, kinds string) {
	o, ok := value.(object)
	if !ok {
		k.fail(at, "must provide an object")
		return
	}
	kind, _ := o["type"].(string)
	if !strings.Contains(kinds, kind) || kind == "" {
		k.fail(at+"/type", "must be one of: %s", kinds)
	}
	k.plain(at, o, "text", most)
}

// items checks a list and calls each for its members.
func (k *blockCheck) items(at string, o object, key string, most int, each func(at string, value any)) {
	list, ok := o[key].([]any)
	if !ok {
		k.fail(at, "missing required field: %s", key)
		return
	}
	if len(list) == 0 {
		k.fail(at+"/"+key, "must have at least 1 item")
	}
	if len(list) > most {
		k.fail(at+"/"+key, "no more than %d items allowed", most)
	}
	for i, value := range list {
		each(fmt.Sprintf("%s/%s/%d", at, key, i), value)
	}
}
