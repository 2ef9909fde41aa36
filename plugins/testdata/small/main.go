// Command small is a connector that an author could have written: the tests
// build it to see what one costs.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

type small struct {
	Count int `default:"0" help:"documents to send; less than nothing means no end"`
	Size  int `default:"4096" help:"bytes of each"`
}

func (s *small) Sync(_ context.Context, _ sdk.Cursor, out *sdk.Out) error {
	if err := out.Document(sdk.Document{ID: "pid", Body: strconv.Itoa(os.Getpid()), Access: sdk.Workspace}); err != nil {
		return err
	}
	body := strings.Repeat("x", s.Size)
	for i := 0; i != s.Count; i++ {
		if err := out.Document(sdk.Document{ID: fmt.Sprint("d", i), Title: "T", Body: body, Access: sdk.Workspace}); err != nil {
			return err
		}
	}
	return out.Checkpoint(nil)
}

func main() { sdk.Serve("small", "1", func() sdk.Source { return new(small) }) }
