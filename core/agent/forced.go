package agent

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/footnote-bot/footnote/core/model"
)

// longestQuery bounds the question as a search of its own, in letters.
const longestQuery = 500

// runForced runs the forced search of a reply, or one with the question's own
// words where the model made no call: nothing is answered without evidence. Text
// that stands before a call is shown; text instead of one is dropped.
func (t *turn) runForced(ctx context.Context, reply model.Reply, err error) {
	if err == nil && len(reply.Calls) > 0 {
		t.out.write(reply.Text)
		t.runTools(ctx, reply)
		return
	}
	if err != nil {
		t.report(slog.LevelWarn, "forced search refused by the model's server, searching with the question", err)
	}
	arguments, jsonErr := json.Marshal(map[string][]string{"queries": {clipLetters(t.q.Text, longestQuery)}})
	if jsonErr != nil {
		t.report(slog.LevelError, "forced search", jsonErr)
		return
	}
	t.runTools(ctx, model.Reply{Calls: []model.ToolCall{{Name: searchName, Arguments: string(arguments)}}})
}

func clipLetters(s string, most int) string {
	if letters := []rune(s); len(letters) > most {
		return string(letters[:most])
	}
	return s
}
