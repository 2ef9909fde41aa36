package cli

import (
	"context"

	"github.com/footnote-bot/footnote/core"
)

// outdate is called when the program of a connector became another one. What its
// sources can do is found out anew: the new one may censor where the old one did
// not. Processes of the old one end once nobody uses them.
func (c *connectors) outdate(ctx context.Context, connector string) error {
	sources, err := c.app.store.Sources(ctx)
	if err != nil {
		return err
	}
	for _, s := range sources {
		if s.Connector != connector {
			continue
		}
		if err := c.app.store.SetNote(ctx, abilitiesKey(s.Name), ""); err != nil {
			return err
		}
		c.unlearn(s)
	}
	return c.app.host.Outdate(ctx, connector)
}

func (c *connectors) unlearn(s core.Source) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.known, s.Name)
	delete(c.vain, s.Name)
	delete(c.tools, s.Name)
}
