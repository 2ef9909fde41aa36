package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
)

// setup is what footnote init is given or asks for.
type setup struct {
	Docs, Domain         string
	ModelURL, Model, Key string
	EmbedURL, EmbedModel string
	DataDir, Path        string
	print                bool
}

func (inv *invocation) initCommand() *cobra.Command {
	var s setup
	c := &cobra.Command{
		Use:   "init",
		Short: "Write a footnote.yaml to begin with, or set up a chat platform",
		Long: `Write a footnote.yaml with comments, for what is given by flag and, on a terminal, asked
for. Without a terminal nothing is asked. A file that is there is never changed.

footnote init slack and footnote init discord add a chat platform to it.`,
		Args: noSuchCommand,
		RunE: func(*cobra.Command, []string) error { return inv.init(s) },
	}
	f := c.Flags()
	f.StringVar(&s.Docs, "docs", "", "a folder of documents to answer from")
	f.StringVar(&s.Domain, "domain", "", "the e-mail domain of your team, whose people may read what is open to the workspace")
	f.StringVar(&s.ModelURL, "model-url", "", "address of an OpenAI-compatible chat model, up to and with /v1")
	f.StringVar(&s.Model, "model", "", "its name there")
	f.StringVar(&s.Key, "model-key", "", "its key; better in the environment, as FOOTNOTE_MODEL_API_KEY")
	f.StringVar(&s.EmbedURL, "embeddings-url", "", "address of an embedding model; without it search is by words")
	f.StringVar(&s.EmbedModel, "embeddings-model", "", "its name there")
	f.BoolVar(&s.print, "print", false, "print the file instead of writing it")
	c.AddCommand(inv.initSlackCommand(), inv.initDiscordCommand())
	return c
}

func (inv *invocation) init(s setup) error {
	s.Path = inv.newConfigPath()
	if !s.print && !missing(s.Path) {
		return core.Errorf(core.KindConflict,
			"%s is there already and is never changed by this; add to it by hand, with footnote init slack or footnote init discord, or see a fresh one with --print", s.Path)
	}
	if err := inv.askSetup(&s); err != nil {
		return err
	}
	if err := s.check(inv); err != nil {
		return err
	}
	s.DataDir = inv.flags.dataDir
	var text strings.Builder
	if err := setupTemplate.Execute(&text, s); err != nil {
		return core.Errorf(core.KindInternal, "cannot write the file: %w", err)
	}
	if s.print {
		_, err := io.WriteString(inv.streams.Out, text.String())
		return err
	}
	if _, err := writeWhole(s.Path, writeBytes([]byte(text.String()))); errors.Is(err, os.ErrExist) {
		return core.Errorf(core.KindConflict, "%s came into being meanwhile and was not changed", s.Path)
	} else if err != nil {
		return core.Errorf(core.KindDisk, "cannot write %s: %w", s.Path, err)
	}
	return inv.sayNext(s)
}

// newConfigPath is where the file goes, whatever is wrong with the environment.
func (inv *invocation) newConfigPath() string {
	cfg, err := inv.config()
	if err != nil {
		cfg.File = ""
	}
	return inv.configFile(cfg)
}

// askSetup asks for what no flag gave, where there is somebody to ask.
func (inv *invocation) askSetup(s *setup) error {
	if !inv.InTTY {
		return nil
	}
	in := bufio.NewReader(inv.streams.In)
	fmt.Fprint(inv.streams.Err, "Press Enter to leave a thing out; all of it can be changed in the file later.\n\n")
	for _, q := range []struct {
		into   *string
		prompt string
	}{
		{&s.Docs, "Folder of documents to answer from"},
		{&s.Domain, "E-mail domain of your team, such as example.com"},
		{&s.ModelURL, "Address of a chat model, such as http://127.0.0.1:11434/v1"},
		{&s.Model, "Name of the model there"},
		{&s.Key, "Its key (it will stand in the file, which only you can read)"},
	} {
		if *q.into != "" || (q.into == &s.Model || q.into == &s.Key) && s.ModelURL == "" {
			continue
		}
		fmt.Fprintf(inv.streams.Err, "%s: ", q.prompt)
		line, err := in.ReadString('\n')
		*q.into = strings.TrimSpace(line)
		if errors.Is(err, io.EOF) {
			fmt.Fprintln(inv.streams.Err)
			return nil // the rest is left out
		}
		if err != nil {
			return core.Errorf(core.KindInvalid, "cannot read from standard input: %w", err)
		}
	}
	return nil
}

func (s *setup) check(inv *invocation) error {
	s.Domain = strings.TrimPrefix(strings.ToLower(s.Domain), "@")
	switch {
	case (s.ModelURL == "") != (s.Model == ""):
		return core.Errorf(core.KindUsage, "a model has an address and a name: give both --model-url and --model, or neither")
	case s.Key != "" && s.ModelURL == "":
		return core.Errorf(core.KindUsage, "--model-key is for a model: give --model-url and --model as well")
	case (s.EmbedURL == "") != (s.EmbedModel == ""):
		return core.Errorf(core.KindUsage, "an embedding model has an address and a name: give both --embeddings-url and --embeddings-model, or neither")
	case s.Domain != "" && (strings.ContainsAny(s.Domain, "@/ ") || !strings.Contains(s.Domain, ".")):
		return core.Errorf(core.KindUsage, "--domain: %q is no e-mail domain such as example.com", s.Domain)
	}
	if s.Docs == "" {
		return nil
	}
	if info, err := os.Stat(inv.path(s.Docs)); err != nil || !info.IsDir() {
		return core.Errorf(core.KindNotFound, "--docs: there is no folder %s", inv.path(s.Docs))
	}
	s.Docs = inv.path(s.Docs) // the file may lie elsewhere
	return nil
}

func (inv *invocation) sayNext(s setup) error {
	steps := []string{"footnote doctor", "footnote sync", `footnote ask "…"`, "footnote init slack", "footnote serve"}
	if s.Docs == "" {
		steps[1] = "footnote source add files FOLDER, then: footnote sync"
	}
	_, err := fmt.Fprintf(inv.streams.Out, "wrote %s; go on with:\n  %s\n", s.Path, strings.Join(steps, "\n  "))
	return err
}

// setupTemplate is the file. Lines that begin with # and a space explain; those with #
// alone are settings to take in.
var setupTemplate = template.Must(template.New("footnote.yaml").Funcs(template.FuncMap{"q": strconv.Quote}).Parse(
	`# Footnote's configuration. All keys: docs/configuration.md. A key such as model.name is
# also read from the environment, as FOOTNOTE_MODEL_NAME, and a secret from a file, as
# FOOTNOTE_MODEL_API_KEY_FILE. Paths count from this file's folder.

# Everything that Footnote remembers lies in one folder: back it up with footnote backup.
{{if .DataDir}}data_dir: {{q .DataDir}}{{else}}#data_dir: ./data{{end}}

# The model that writes answers, behind any OpenAI-compatible address. Without one,
# answers are quotes.
{{if .ModelURL}}model:
  base_url: {{q .ModelURL}}
  name: {{q .Model}}
{{if .Key}}  api_key: {{q .Key}}
{{end}}{{else}}#model: {base_url: "http://127.0.0.1:11434/v1", name: "qwen3"}
{{end}}
# A model that makes vectors, so that search knows words that mean the same.
{{if .EmbedURL}}embeddings: {base_url: {{q .EmbedURL}}, name: {{q .EmbedModel}}}{{else}}#embeddings: {base_url: "http://127.0.0.1:11434/v1", name: "bge-m3"}{{end}}

# Full members of the team: they may read what is open to the workspace.
{{if .Domain}}members: {domains: [{{q .Domain}}]}{{else}}#members: {domains: ["example.com"]}{{end}}

# Where documents come from. Sources may also be added by command: footnote source add.
{{if .Docs}}sources:
  - name: docs
    connector: files
    config: {dir: {{q .Docs}}}
    access: workspace     # who may read what is in it
    every: 15m            # how often footnote serve looks for changes
{{else}}#sources: [{name: docs, connector: files, config: {dir: ./docs}, access: workspace, every: 15m}]
{{end}}
# Chat platforms: footnote init slack and footnote init discord write their lines.

# Limits beyond which answers are quotes.
#quotas: [{who: user, questions_per_day: 200}]

# The HTTP interface and the admin pages; both are for this machine only.
#http: {listen: "127.0.0.1:8080"}
#admin: {listen: "127.0.0.1:8081"}
`))
