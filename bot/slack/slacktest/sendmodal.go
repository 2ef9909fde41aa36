package slacktest

import "encoding/json"

// SubmitModal fills the modal that a user has open and submits it. Values are
// keyed by action_id or block_id: the text of an input, or label or value of an
// option. What the app answers (errors, update, push, clear) is done.
func (s *Server) SubmitModal(user string, values map[string]string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.top(user)
	if v == nil {
		s.problem("SubmitModal: %s has no modal open", user)
		return ""
	}
	payload := s.interaction("view_submission", v.in, s.users[user])
	data := v.object()
	data["state"] = object{"values": s.fill(v, values)}
	payload["view"], payload["response_urls"] = data, []any{}
	v.errors = nil
	return s.interact(v.in, nil, user, nil, payload, func(raw json.RawMessage) { s.submitted(v, raw) })
}

// CloseModal closes the modal of a user; with notify_on_close the app is told.
func (s *Server) CloseModal(user string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.top(user)
	if v == nil {
		s.problem("CloseModal: %s has no modal open", user)
		return ""
	}
	stack := s.modals[user]
	s.modals[user] = stack[:len(stack)-1]
	s.touch()
	if v.data["notify_on_close"] != true {
		return ""
	}
	payload := s.interaction("view_closed", v.in, s.users[user])
	payload["view"], payload["is_cleared"] = v.object(), false
	return s.interact(v.in, nil, user, nil, payload, nil)
}

func (s *Server) top(user string) *view {
	stack := s.modals[user]
	if len(stack) == 0 {
		return nil
	}
	return stack[len(stack)-1]
}

// fill makes the state of a view from what a person enters.
func (s *Server) fill(v *view, values map[string]string) object {
	state, used := object{}, map[string]bool{}
	list := controls(v.blocks())
	for _, c := range list {
		block, _ := c.block["block_id"].(string)
		action, _ := c.element["action_id"].(string)
		key := action
		given, ok := values[key]
		if !ok {
			key = block
			given, ok = values[key]
		}
		if kindOf(c.element) == "button" || c.option != nil && (!ok || given != c.label && given != c.value) {
			continue
		}
		used[key] = used[key] || ok
		entry := object{"type": c.element["type"]}
		switch {
		case c.option != nil:
			entry = c.action("")
		case ok:
			entry["value"] = given
		default:
			entry["value"] = c.element["initial_value"]
		}
		if state[block] == nil {
			state[block] = object{}
		}
		state[block].(object)[action] = entry
	}
	for key := range values {
		if !used[key] {
			s.problem("SubmitModal: no input %q takes this value; there is %s", key, labels(list))
		}
	}
	return state
}

// submitted does what the app answers to a submission.
func (s *Server) submitted(v *view, raw json.RawMessage) {
	var answer struct {
		Action string            `json:"response_action"`
		View   object            `json:"view"`
		Errors map[string]string `json:"errors"`
	}
	if len(raw) > 0 && json.Unmarshal(raw, &answer) != nil {
		return
	}
	switch answer.Action {
	case "errors":
		v.errors = answer.Errors
	case "clear":
		delete(s.modals, v.user)
	case "update", "push":
		if err := s.checkView(answer.View, inModal); err != nil {
			s.problem("the app answered a submission with a view that Slack refuses: %v %v", err, err.(*refusal).messages)
			return
		}
		list, _ := answer.View["blocks"].([]any)
		s.nameBlocks(list)
		if answer.Action == "update" {
			v.data, v.hash = answer.View, s.nextTS()
		} else if _, err := s.push(v.in, v.user, answer.View); err != nil {
			s.problem("the app pushed a view: %v", err)
		}
	default:
		stack := s.modals[v.user]
		if len(stack) > 0 && stack[len(stack)-1] == v {
			s.modals[v.user] = stack[:len(stack)-1]
		}
	}
}

// ClickModal presses a button in the modal that a user has open.
func (s *Server) ClickModal(user, what string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clickView("ClickModal", user, s.top(user), what)
}

// ClickHome presses a button in the user's home tab of the first app.
func (s *Server) ClickHome(user, what string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clickView("ClickHome", user, s.home(user), what)
}

func (s *Server) clickView(name, user string, v *view, what string) string {
	if v == nil {
		s.problem("%s: %s has no view open", name, user)
		return ""
	}
	list := controls(v.blocks())
	c, ok := choose(list, what)
	if !ok {
		s.problem("%s: no %q in the view; there is %s", name, what, labels(list))
		return ""
	}
	payload := s.interaction("block_actions", v.in, s.users[user])
	payload["container"] = object{"type": "view", "view_id": v.id}
	payload["view"], payload["actions"] = v.object(), []object{c.action(s.nextTS())}
	return s.interact(v.in, nil, user, nil, payload, nil)
}

// View is a modal or a home tab as a person sees it.
type View struct {
	ID, CallbackID, PrivateMetadata string
	Title, Text, Submit             string
	Errors                          map[string]string // what the app refused, by block
	JSON                            json.RawMessage
}

func (v *view) snapshot() View {
	return View{ID: v.id, CallbackID: v.text("callback_id"), PrivateMetadata: v.text("private_metadata"), Title: plainText(v.data["title"]),
		Submit: plainText(v.data["submit"]), Text: blocksText(v.blocks()), Errors: v.errors, JSON: rawOf(v.object())}
}

// Modal returns the modal on top of what a user has open.
func (s *Server) Modal(user string) (View, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.top(user)
	if v == nil {
		return View{}, false
	}
	return v.snapshot(), true
}

// Home returns the home tab that the first app published for a user.
func (s *Server) Home(user string) (View, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.home(user)
	if v == nil {
		return View{}, false
	}
	return v.snapshot(), true
}

func (s *Server) home(user string) *view {
	if s.main == nil {
		return nil
	}
	return s.homes[s.main.ID+" "+user]
}
