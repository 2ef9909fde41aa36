package slacktest

import "time"

const maxViews = 3 // modals on top of each other

type trigger struct {
	user string
	at   time.Time
	used bool
}

// view is a modal or a home tab.
type view struct {
	id, hash, user string
	in             *install
	data           object // as the app sent it
	root, previous string
	errors         map[string]string // what view_submission was refused with, by block
}

func (s *Server) newTrigger(user string) string {
	id := s.nextID("trigger")
	s.triggers[id] = &trigger{user: user, at: s.clock.Now()}
	return id
}

func (v *view) blocks() []any { list, _ := v.data["blocks"].([]any); return list }

func (v *view) text(key string) string { t, _ := v.data[key].(string); return t }

func (v *view) object() object {
	o := object{"id": v.id, "team_id": v.in.team, "hash": v.hash, "app_id": v.in.app.ID, "bot_id": v.in.botID,
		"app_installed_team_id": v.in.team, "root_view_id": v.root, "previous_view_id": nil, "state": object{"values": object{}},
		"title": nil, "close": nil, "submit": nil, "private_metadata": "", "callback_id": "", "external_id": "",
		"clear_on_close": false, "notify_on_close": false}
	if v.previous != "" {
		o["previous_view_id"] = v.previous
	}
	for key, value := range v.data {
		o[key] = value
	}
	return o
}

// checkView judges a view; where is inModal or inHome.
func (s *Server) checkView(data object, where surface) error {
	want := map[surface]string{inModal: "modal", inHome: "home"}[where]
	if data["type"] != want {
		return refuse("invalid_arguments", "must be "+want+" [json-pointer:/view/type]")
	}
	k := &blockCheck{z: s.options.sizes, where: where, root: "/view", ids: map[string]bool{}}
	if where == inModal {
		k.textObject("/title", data["title"], 24, "plain_text")
		for _, key := range []string{"submit", "close"} {
			if data[key] != nil {
				k.textObject("/"+key, data[key], 24, "plain_text")
			}
		}
	}
	for key, most := range map[string]int{"private_metadata": 3000, "callback_id": s.options.sizes.ActionID, "external_id": 255} {
		text, _ := data[key].(string)
		k.limit("/"+key, text, most)
	}
	blocks, ok := data["blocks"].([]any)
	if !ok {
		k.fail("/blocks", "missing required field: blocks")
	}
	hasInput := false
	for _, b := range blocks {
		o, _ := b.(object)
		hasInput = hasInput || o["type"] == "input"
	}
	if where == inModal && hasInput && data["submit"] == nil {
		k.fail("/submit", "missing required field: submit")
	}
	if len(k.bad) > 0 {
		return refuse("invalid_arguments", k.bad...)
	}
	return checkBlocks(blocks, where, s.options.sizes)
}

func (c *call) viewData(where surface) (object, error) {
	var data object
	if given, err := c.decode("view", &data); err != nil || !given {
		return nil, refuse("invalid_arguments", "must provide an object [json-pointer:/view]")
	}
	if err := c.checkView(data, where); err != nil {
		return nil, err
	}
	list, _ := data["blocks"].([]any)
	c.nameBlocks(list)
	return data, nil
}

// useTrigger spends a trigger and says whose it was.
func (c *call) useTrigger() (string, error) {
	t := c.triggers[c.str("trigger_id")]
	switch {
	case t == nil:
		return "", refuse("invalid_trigger_id")
	case t.used:
		return "", refuse("exchanged_trigger_id")
	case c.clock.Now().Sub(t.at) > c.options.ackTimeout:
		return "", refuse("expired_trigger_id")
	}
	t.used = true
	return t.user, nil
}

func (c *call) viewsOpen() (object, error) {
	data, err := c.viewData(inModal)
	if err != nil {
		return nil, err
	}
	user, err := c.useTrigger()
	if err != nil {
		return nil, err
	}
	v := c.newView(c.in, user, data)
	c.modals[user] = []*view{v}
	return object{"view": v.object()}, nil
}

func (s *Server) newView(in *install, user string, data object) *view {
	v := &view{id: s.nextID("V"), hash: s.nextTS(), user: user, in: in, data: data}
	v.root = v.id
	s.views[v.id] = v
	return v
}

func (c *call) viewsPush() (object, error) {
	data, err := c.viewData(inModal)
	if err != nil {
		return nil, err
	}
	user, err := c.useTrigger()
	if err != nil {
		return nil, err
	}
	v, err := c.push(c.in, user, data)
	if err != nil {
		return nil, err
	}
	return object{"view": v.object()}, nil
}

func (s *Server) push(in *install, user string, data object) (*view, error) {
	stack := s.modals[user]
	if len(stack) == 0 {
		return nil, refuse("not_found")
	}
	if len(stack) >= maxViews {
		return nil, refuse("push_limit_reached")
	}
	v := s.newView(in, user, data)
	v.root, v.previous = stack[0].id, stack[len(stack)-1].id
	s.modals[user] = append(stack, v)
	return v, nil
}

func (c *call) viewsUpdate() (object, error) {
	v := c.views[c.str("view_id")]
	if external := c.str("external_id"); external != "" {
		for _, other := range c.views {
			if other.in.app == c.in.app && other.text("external_id") == external {
				v = other
			}
		}
	}
	if v == nil || v.in.app != c.in.app {
		return nil, refuse("not_found")
	}
	if hash := c.str("hash"); hash != "" && hash != v.hash {
		return nil, refuse("hash_conflict")
	}
	where := inModal
	if v.data["type"] == "home" {
		where = inHome
	}
	data, err := c.viewData(where)
	if err != nil {
		return nil, err
	}
	v.data, v.hash, v.errors = data, c.nextTS(), nil
	return object{"view": v.object()}, nil
}

func (c *call) viewsPublish() (object, error) {
	user := c.str("user_id")
	if c.users[user] == nil || !c.knows(c.users[user]) {
		return nil, refuse("invalid_arguments", "user not found [json-pointer:/user_id]")
	}
	data, err := c.viewData(inHome)
	if err != nil {
		return nil, err
	}
	old := c.homes[c.in.app.ID+" "+user]
	if hash := c.str("hash"); hash != "" && (old == nil || hash != old.hash) {
		return nil, refuse("hash_conflict")
	}
	v := c.newView(c.in, user, data)
	if old != nil {
		delete(c.views, old.id)
	}
	c.homes[c.in.app.ID+" "+user] = v
	return object{"view": v.object()}, nil
}
