package discordtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

// apiCallback is the first answer to an interaction.
func (s *Server) apiCallback(c *call) (any, error) {
	i := s.interactions[c.PathValue("id")]
	if i == nil || i.token != c.PathValue("token") {
		return nil, unknownInteraction()
	}
	if i.acked {
		return nil, fail(http.StatusBadRequest, 40060, "Interaction has already been acknowledged.")
	}
	late := s.clock.Now().Sub(i.at)
	if late > s.options.answer {
		return nil, unknownInteraction()
	}
	f, err := c.form()
	if err != nil {
		return nil, err
	}
	kind := f.number("type")
	if !slices.Contains(i.answers(), kind) {
		f.add("type", "BASE_TYPE_CHOICES", "Value must be one of %v.", i.answers())
	}
	var raw json.RawMessage
	f.read("data", &raw)
	if err := f.err(); err != nil {
		return nil, err
	}
	if err := s.respond(c, i, kind, raw); err != nil {
		return nil, err
	}
	i.acked, i.ackedAfter, i.response = true, late, kind
	if c.URL.Query().Get("with_response") != "true" {
		return nil, nil
	}
	out := object{"interaction": object{"id": i.id, "type": i.kind}, "resource": object{"type": kind}}
	if i.original != nil {
		out["resource"] = object{"type": kind, "message": s.rest(i.original)}
	}
	return out, nil
}

// answers are the types that may answer this interaction.
func (i *interaction) answers() []int {
	switch {
	case i.kind == completeInteraction:
		return []int{answerChoices}
	case i.kind == commandInteraction:
		return []int{answerMessage, answerLater, answerWithModal}
	case i.kind == componentInteraction:
		return []int{answerMessage, answerLater, answerNothing, answerUpdate, answerWithModal}
	case i.target != nil:
		return []int{answerMessage, answerLater, answerNothing, answerUpdate}
	}
	return []int{answerMessage, answerLater}
}

func (s *Server) respond(c *call, i *interaction, kind int, raw json.RawMessage) error {
	switch kind {
	case answerChoices:
		return i.complete(raw)
	case answerWithModal:
		return s.openModal(i, raw)
	case answerNothing:
		i.original = i.target
		return nil
	}
	inner, err := parseForm(raw)
	if err != nil {
		return err
	}
	d, err := readDraft(inner, c.files, kind == answerUpdate && i.target.flags&flagV2 != 0)
	if err != nil {
		return err
	}
	if kind == answerUpdate {
		i.original = i.target
		return s.rewrite(i.target, d, "response")
	}
	m := s.answerTo(i, d)
	if kind == answerLater {
		if d.flags&flagV2 != 0 {
			inner.add("data.flags", "BITFIELD_INVALID", "Only EPHEMERAL may be set on a deferred response.")
			return inner.err()
		}
		m.flags |= flagLoading
	} else if s.fill(m, d); empty(m) {
		return emptyMessage()
	}
	i.original = s.post(m)
	s.record("response", m, d)
	return nil
}

// answerTo makes the message of an answer or a follow-up.
func (s *Server) answerTo(i *interaction, d *draft) *message {
	m := &message{channel: i.channel, author: BotUser, by: i}
	if d.flags&flagEphemeral != 0 {
		m.to, m.flags = i.user, flagEphemeral
	}
	if i.kind == commandInteraction && i.original == nil {
		m.kind = commandMessage
		if i.menu {
			m.kind = menuMessage
		}
	}
	return m
}

// complete answers an autocompletion.
func (i *interaction) complete(raw json.RawMessage) error {
	var data struct {
		Choices []object `json:"choices"`
	}
	var m mistakes
	if err := json.Unmarshal(raw, &data); err != nil {
		m.add("data.choices", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
	}
	m.count("data.choices", len(data.Choices), 0, 25)
	i.choices = []Choice{}
	for n, c := range data.Choices {
		checkChoice(&m, fmt.Sprintf("data.choices.%d.", n), c)
		i.choices = append(i.choices, Choice{words(c, "name"), c["value"]})
	}
	if err := m.err(); err != nil {
		i.choices = nil
		return err
	}
	return nil
}

// openModal shows a form to the user, in place of the one that was open.
func (s *Server) openModal(i *interaction, raw json.RawMessage) error {
	var data object
	var m mistakes
	if err := json.Unmarshal(raw, &data); err != nil {
		m.add("data", "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
		return m.err()
	}
	checkModal(&m, data)
	if err := m.err(); err != nil {
		return err
	}
	s.modals[i.user] = &modal{data: data, from: i}
	return nil
}
