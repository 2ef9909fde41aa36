package agent

import (
	"encoding/json"
	"errors"
	"fmt"
)

// readArguments checks that the arguments are one JSON object. The problem says
// what is wrong and where; "" means that they can be used.
func readArguments(raw string, _ json.RawMessage) (json.RawMessage, string) {
	var object map[string]json.RawMessage
	err := json.Unmarshal([]byte(raw), &object)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, fmt.Sprintf("%s at byte %d of %d", syntax.Error(), syntax.Offset, len(raw))
	case err != nil:
		return nil, "they are JSON, but not one object"
	case object == nil:
		return nil, "they are null"
	}
	return json.RawMessage(raw), ""
}
