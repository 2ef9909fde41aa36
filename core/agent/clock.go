package agent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/prompts"
)

// clockTool is current_time.
type clockTool struct{ now func() time.Time }

func (clockTool) Spec() Spec {
	return Spec{
		Tool:    model.Tool{Name: "current_time", Description: prompts.ClockTool(), Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
		Example: `{}`,
	}
}

func (c clockTool) Run(_ context.Context, call Call) (Result, error) {
	now := c.now().In(zone(call.Question.Viewer))
	return Result{Text: now.Format("Monday, 2006-01-02 15:04:05 -07:00 (MST)")}, nil
}
