package discordtest

import (
	"fmt"
	"slices"
)

// Click presses a button of a message, found by its label or its custom_id, and
// returns the id of the interaction.
func (s *Server) Click(user, message, button string) string {
	defer s.lock()()
	return s.press(user, message, button, nil)
}

// Select chooses options of a select of a message, found by its custom_id or its
// placeholder, by their label or value.
func (s *Server) Select(user, message, custom string, options ...string) string {
	defer s.lock()()
	return s.press(user, message, custom, options)
}

func (s *Server) press(user, id, what string, options []string) string {
	m := s.find("Click", id)
	if m == nil {
		return ""
	}
	c := s.channels[m.channel]
	if s.users[user] == nil {
		s.problem("Click: there is no user %q", user)
		return ""
	}
	if m.to != "" && m.to != user || !s.may(user, c).Has(ViewChannel) {
		s.problem("Click: %s cannot see message %s", s.users[user].Name, id)
		return ""
	}
	var hit object
	controls(m.components, func(x object) {
		if hit == nil && slices.Contains([]string{words(x, "label"), words(x, "custom_id"), words(x, "placeholder")}, what) {
			hit = x
		}
	})
	if hit == nil || hit["disabled"] == true || words(hit, "custom_id") == "" {
		s.problem("Click: message %s has no control %q that can be used", id, what)
		return ""
	}
	data := object{"custom_id": words(hit, "custom_id"), "component_type": whole(hit, "type"), "id": 1}
	if whole(hit, "type") != buttonType {
		values, err := s.selected(hit, options)
		if err != nil {
			s.problem("Select %s: %v", what, err)
			return ""
		}
		data["values"] = values
	}
	return s.begin(&interaction{kind: componentInteraction, user: user, channel: m.channel, target: m, name: words(hit, "custom_id")}, data)
}

// selected turns labels into values and checks their number.
func (s *Server) selected(menu object, options []string) ([]string, error) {
	values := []string{}
	for _, want := range options {
		value := ""
		for _, o := range list(menu, "options") {
			if words(o, "label") == want || words(o, "value") == want {
				value = words(o, "value")
			}
		}
		if whole(menu, "type") != stringSelect {
			value = want
		}
		if value == "" {
			return nil, fmt.Errorf("there is no option %q", want)
		}
		values = append(values, value)
	}
	least, most := 1, 1
	if _, ok := menu["min_values"]; ok {
		least = whole(menu, "min_values")
	}
	if n := whole(menu, "max_values"); n > 0 {
		most = n
	}
	if len(values) < least || len(values) > most {
		return nil, fmt.Errorf("%d options are not between %d and %d", len(values), least, most)
	}
	return values, nil
}

// SubmitModal sends off the modal that a user has open, with values by the
// custom_id of the fields, and returns the id of the interaction. Fields without
// a value keep what they were filled with.
func (s *Server) SubmitModal(user string, values map[string]string) string {
	defer s.lock()()
	open := s.modals[user]
	if open == nil {
		s.problem("SubmitModal: %s has no modal open", user)
		return ""
	}
	rows := []object{}
	known := 0
	for _, row := range list(open.data, "components") {
		field := list(row, "components")[0] // checkModal made sure of one
		value, ok := values[words(field, "custom_id")]
		if ok {
			known++
		} else {
			value = words(field, "value")
		}
		if err := fillable(field, value); err != nil {
			s.problem("SubmitModal: field %q: %v", words(field, "custom_id"), err)
			return ""
		}
		rows = append(rows, object{"type": actionRow, "components": []object{{"type": textInput, "custom_id": words(field, "custom_id"), "value": value}}})
	}
	if known != len(values) {
		s.problem("SubmitModal: the modal has not all of the fields %v", values)
		return ""
	}
	delete(s.modals, user)
	data := object{"custom_id": words(open.data, "custom_id"), "components": rows}
	return s.begin(&interaction{kind: modalInteraction, user: user, channel: open.from.channel, target: open.from.target,
		name: words(open.data, "custom_id")}, data)
}

func fillable(field object, value string) error {
	n := len([]rune(value))
	required, ok := field["required"].(bool)
	most := 4000
	if m := whole(field, "max_length"); m > 0 {
		most = m
	}
	switch {
	case n == 0 && (required || !ok):
		return fmt.Errorf("a value is required")
	case n > most || n > 0 && n < whole(field, "min_length"):
		return fmt.Errorf("%d characters are not allowed", n)
	}
	return nil
}

// CloseModal closes the modal that a user has open; nobody hears of that.
func (s *Server) CloseModal(user string) {
	defer s.lock()()
	delete(s.modals, user)
}

// Dismiss lets a user take an ephemeral message off their screen; nobody hears
// of that.
func (s *Server) Dismiss(user, message string) {
	defer s.lock()()
	if m := s.find("Dismiss", message); m != nil && m.to == user {
		m.deleted = true
	}
}
