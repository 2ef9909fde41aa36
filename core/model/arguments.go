package model

import (
	"encoding/json"

	"github.com/footnote-bot/footnote/core/model/toolcall"
)

// Arguments makes a call's arguments one JSON object whose values have the
// types that the schema asks for. The error says what is wrong and at which
// byte, without quoting the text.
func Arguments(raw string, schema json.RawMessage) (json.RawMessage, error) {
	return toolcall.Arguments(raw, schema)
}
