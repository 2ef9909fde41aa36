// Command footnote is the Footnote knowledge assistant.
package main

import (
	"os"

	"github.com/footnote-bot/footnote/internal/cli"
)

func main() { os.Exit(cli.Main()) }
