package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
	"github.com/footnote-bot/footnote/plugins"
)

// connectorView is all that a connector says of itself.
type connectorView struct {
	Name     string      `json:"name"`
	Version  string      `json:"version"`
	SDK      string      `json:"sdk,omitempty"`
	Protocol int         `json:"protocol"`
	Help     string      `json:"help,omitempty"`
	Features []string    `json:"features"`
	Fields   []fieldView `json:"fields"`
	Limits   []limitView `json:"limits"`
	Auth     authView    `json:"auth"`
	// Tools is nil where they are not known, because a connector tells them only
	// once it is configured.
	Tools []toolView `json:"tools"`
}

type fieldView struct {
	Name     string          `json:"name"`
	Type     string          `json:"type"`
	Required bool            `json:"required"`
	Secret   bool            `json:"secret"`
	Default  json.RawMessage `json:"default,omitempty"`
	Enum     []string        `json:"enum,omitempty"`
	Help     string          `json:"help,omitempty"`
}

type limitView struct {
	Name      string  `json:"name"`
	PerSecond float64 `json:"per_second"`
	Burst     int     `json:"burst"`
}

type authView struct {
	Kind   string   `json:"kind"`
	Scopes []string `json:"scopes,omitempty"`
}

type toolView struct {
	Name    string          `json:"name"`
	Help    string          `json:"help,omitempty"`
	Changes bool            `json:"changes"`
	Schema  json.RawMessage `json:"schema"`
}

type pluginDescribe struct {
	ref, config      string
	asJSON, markdown bool
}

func (inv *invocation) pluginDescribeCommand() *cobra.Command {
	var p pluginDescribe
	c := &cobra.Command{
		Use:   "describe PATH|NAME",
		Short: "Show what a connector can do and how it is set up",
		Long: `Show what a connector says of itself: what it can do, its settings, its limits, how
it authenticates, its tools. PATH is a folder or a program as for plugin test; NAME
is a connector that is bundled or installed.

A connector names its tools once it is configured: with --config, or with
testdata/config.json of its folder.`,
		Args: exactly(1, "a folder, a program or the name of a connector"),
		RunE: func(c *cobra.Command, args []string) error {
			p.ref = args[0]
			return inv.describePlugin(c.Context(), p)
		},
	}
	c.Flags().BoolVar(&p.asJSON, "json", false, "print one JSON object")
	c.Flags().BoolVar(&p.markdown, "markdown", false, "print a page for the connector's documentation")
	c.Flags().StringVar(&p.config, "config", "", "configuration, a JSON file, to learn the tools with")
	return c
}

func (inv *invocation) describePlugin(ctx context.Context, p pluginDescribe) error {
	if p.asJSON && p.markdown {
		return core.Errorf(core.KindUsage, "choose --json or --markdown")
	}
	return inv.withConnector(ctx, p.ref, func(ctx context.Context, r ranConnector) error {
		about, err := r.host.Describe(ctx, r.name)
		if err != nil {
			return err
		}
		view, err := viewOf(about)
		if err != nil {
			return err
		}
		if file := inv.testConfig(p.config, r.folder); file != "" && has(about, wire.FeatureTools) {
			if view.Tools, err = r.tools(ctx, file); err != nil {
				return err
			}
		}
		switch {
		case p.asJSON:
			return inv.printJSON(view)
		case p.markdown:
			return view.writeMarkdown(inv.streams.Out)
		}
		return view.writeText(inv.streams.Out)
	})
}

func has(about plugins.Description, feature string) bool {
	for _, f := range about.Features {
		if f == feature {
			return true
		}
	}
	return false
}

// tools asks a configured process for its tools.
func (r ranConnector) tools(ctx context.Context, file string) (out []toolView, err error) {
	config, err := readConnectorConfig(file)
	if err != nil {
		return nil, err
	}
	conn, err := r.host.Open(ctx, core.Source{Name: runName, Connector: r.name, Config: config})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	tools, err := conn.Tools(ctx)
	out = []toolView{}
	for _, t := range tools {
		out = append(out, toolView{t.Name, t.Help, t.Changes, t.Schema})
	}
	return out, err
}

func viewOf(about plugins.Description) (connectorView, error) {
	v := connectorView{
		Name: about.Name, Version: about.Version, SDK: about.SDK, Protocol: wire.ProtocolVersion, Help: about.Help,
		Features: append([]string{}, about.Features...), Limits: []limitView{},
		Auth: authView{Kind: about.Auth.Kind, Scopes: about.Auth.Scopes},
	}
	for _, l := range about.Limits {
		v.Limits = append(v.Limits, limitView{l.Name, l.PerSecond, l.Burst})
	}
	var err error
	if v.Fields, err = fieldsOf(about.Schema); err != nil {
		err = core.Errorf(core.KindInvalid, "connector %q describes its settings in a way that cannot be read: %w", about.Name, err)
	}
	if !has(about, wire.FeatureTools) {
		v.Tools = []toolView{}
	}
	return v, err
}

// fieldsOf reads the settings in the author's order.
func fieldsOf(schema json.RawMessage) ([]fieldView, error) {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	out := []fieldView{}
	if err := json.Unmarshal(schema, &s); err != nil || len(s.Properties) == 0 {
		return out, err
	}
	d := json.NewDecoder(bytes.NewReader(s.Properties))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var p struct {
			Type, Format, Description string
			Default                   json.RawMessage
			Enum                      []string
			WriteOnly                 bool
		}
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		f := fieldView{Type: p.Type, Secret: p.WriteOnly, Default: p.Default, Enum: p.Enum, Help: p.Description}
		f.Name, _ = name.(string) // a key always is
		if p.Format == "go-duration" {
			f.Type = "duration"
		}
		for _, r := range s.Required {
			f.Required = f.Required || r == f.Name
		}
		out = append(out, f)
	}
	return out, nil
}

// readConnectorConfig reads a configuration that lies with a connector.
func readConnectorConfig(file string) (json.RawMessage, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, core.Errorf(core.KindNotFound, "the configuration cannot be read: %w", err)
	}
	return connectorConfig(file, text)
}
