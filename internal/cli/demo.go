package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/ingest"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

const (
	demoSource = "handbook"
	demoDomain = "northquay.example"
	// demoRecipe is the note of how the sample documents were read.
	demoRecipe = "handbook_recipe"
)

// demoQuestions are asked where there is no terminal to type at.
func demoQuestions() []string {
	return []string{
		"How many vacation days do new employees get?",
		"What does error NQ-4107 mean and what do I do about it?",
		"How much may I spend on a hotel night when travelling?",
	}
}

func (inv *invocation) demoCommand() *cobra.Command {
	var who asking
	var asJSON bool
	var question string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Try Footnote on the handbook of an invented company",
		Long: `Try Footnote on the handbook of an invented company: no account, no key. On a
terminal it holds a conversation; elsewhere it answers three sample questions.
With a model configured it writes answers, otherwise it quotes.

The handbook's HR page may be read by hr@` + demoDomain + ` only: try --as.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := inv.demoConfig()
			if err != nil {
				return err
			}
			return inv.inFolder(c.Context(), cfg, func(ctx context.Context, a *app) error {
				return inv.demo(ctx, a, &who, question, asJSON)
			})
		},
	}
	who.flags(c)
	c.Flags().StringVar(&question, "ask", "", "answer this question and end")
	c.Flags().BoolVar(&asJSON, "json", false, "print each answer as one JSON object")
	return c
}

// demoConfig is the configuration of the demo. It keeps to a folder of its own,
// so that it never touches anybody's documents; only the model is the user's.
func (inv *invocation) demoConfig() (config.Config, error) {
	if inv.held != nil {
		return inv.held.cfg, nil
	}
	users, err := inv.config()
	if err != nil {
		return users, err
	}
	dir, err := inv.demoDir(users)
	if err != nil {
		return users, err
	}
	return config.Config{
		DataDir: dir,
		Model:   users.Model,
		Members: config.Members{Domains: []string{demoDomain}},
		Sources: []config.Source{{
			Name: demoSource, Connector: "files", Access: config.Access{string(core.Workspace)},
			Config: map[string]any{
				"dir":    filepath.Join(dir, demoSource),
				"access": map[string]any{"hr/**": []string{string(core.User("hr@" + demoDomain))}},
			},
		}},
	}, nil
}

// demoDir is "demo" inside the data folder that the user chose, else in the
// user's cache.
func (inv *invocation) demoDir(users config.Config) (string, error) {
	_, chosen := inv.lookup(config.Prefix + "DATA_DIR")
	if chosen || inv.flags.dataDir != "" {
		return filepath.Join(users.DataDir, "demo"), nil
	}
	if dir, ok := inv.lookup("XDG_CACHE_HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, "footnote", "demo"), nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return filepath.Join(users.DataDir, "demo"), nil
	}
	return filepath.Join(dir, "footnote", "demo"), nil
}

func (inv *invocation) demo(ctx context.Context, a *app, who *asking, question string, asJSON bool) error {
	if err := inv.readHandbook(ctx, a); err != nil {
		return err
	}
	switch {
	case question != "":
		return inv.ask(ctx, a, who, question, asJSON)
	case inv.InTTY && inv.OutTTY:
		fmt.Fprintf(inv.streams.Err, "This is the handbook of Northquay Robotics, an invented company. You could ask:\n")
		for _, q := range demoQuestions() {
			fmt.Fprintf(inv.streams.Err, "  %s\n", q)
		}
		return inv.chat(ctx, a, who, asJSON)
	}
	for i, q := range demoQuestions() {
		if !asJSON {
			if i > 0 {
				fmt.Fprintln(inv.streams.Out)
			}
			fmt.Fprintf(inv.streams.Out, "> %s\n\n", q)
		}
		if err := inv.ask(ctx, a, who, q, asJSON); err != nil {
			return err
		}
	}
	return nil
}

// readHandbook writes the sample documents out and reads them through the same
// connector process as anybody's files.
func (inv *invocation) readHandbook(ctx context.Context, a *app) error {
	changed, err := writeHandbook(filepath.Join(a.cfg.DataDir, demoSource))
	if err != nil {
		return core.Errorf(core.KindDisk, "cannot write the sample documents: %w", err)
	}
	st, err := a.store.SourceStatus(ctx, demoSource)
	if err != nil {
		return err
	}
	recipe, err := a.store.Note(ctx, demoRecipe)
	if err != nil {
		return err
	}
	if !changed && recipe == ingest.Recipe && st.LastRun != nil && st.LastRun.ErrorKind == "" && time.Since(st.LastRun.Finished) < core.DefaultMaxAge/2 {
		return nil
	}
	fmt.Fprintln(inv.streams.Err, "Reading the sample documents …")
	// The folder is the demo's own: what is gone from it is gone on purpose.
	report, err := inv.syncOne(ctx, a, st.Source, syncFlags{acceptDeletes: true})
	if err != nil {
		return err
	}
	inv.embedNow(ctx, a)
	if err := a.store.SetNote(ctx, demoRecipe, ingest.Recipe); err != nil {
		return err
	}
	fmt.Fprintf(inv.streams.Err, "%s read in %.1f s\n\n", counted(report.Seen, "document"), report.Took.Seconds())
	return nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
