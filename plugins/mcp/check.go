package mcp

import (
	"context"
	"errors"
	"fmt"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Check begins a session and reads both lists.
func (s *Source) Check(ctx context.Context) error {
	var out []error
	if s.offers("tools") {
		s.link.stale.Store(true)
		tools, left, err := s.tools(ctx)
		if err != nil {
			return err
		}
		changing := 0
		for _, t := range tools {
			if t.Changes {
				changing++
			}
		}
		out = append(out, sdk.Warning(fmt.Sprintf("the server has %d tools; %d of them may change something and need the source's allow_tools", len(tools), changing)))
		for _, why := range left[:min(len(left), 10)] {
			out = append(out, sdk.Warning("a tool is left out: "+why))
		}
	}
	list, err := s.resources(ctx)
	if err != nil {
		return err
	}
	if len(list) > 0 {
		out = append(out, sdk.Warning(fmt.Sprintf("the server has %d resources; all are for whom the source's access names", len(list))))
	}
	return errors.Join(out...)
}
