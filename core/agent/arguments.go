package agent

import (
	"encoding/json"

	"github.com/footnote-bot/footnote/core/model/toolcall"
)

// readArguments makes the arguments one JSON object with the types that the
// schema asks for. The problem says what is wrong and where; "" means that they
// can be used.
func readArguments(raw string, schema json.RawMessage) (json.RawMessage, string) {
	arguments, err := toolcall.Arguments(raw, schema)
	if err != nil {
		return nil, err.Error()
	}
	return arguments, ""
}
