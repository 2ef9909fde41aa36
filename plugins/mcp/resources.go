package mcp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// cursor is how far Sync got. The protocol does not say what changed: each pass
// reads all, and the host compares.
type cursor struct {
	After string `json:"a,omitempty"` // the last resource of the pass under way
}

// perCheckpoint is how many resources are read between two checkpoints.
const perCheckpoint = 50

// sink is the part of sdk.Out that takes what a pass finds.
type sink interface {
	Document(sdk.Document) error
	Failed(id string, err error) error
	Checkpoint(sdk.Cursor) error
}

// Sync reads all resources, in the order of their addresses.
func (s *Source) Sync(ctx context.Context, since sdk.Cursor, out *sdk.Out) error {
	return s.sync(ctx, since, out)
}

func (s *Source) sync(ctx context.Context, since sdk.Cursor, out sink) error {
	var at cursor
	if err := since.JSON(&at); err != nil {
		at = cursor{}
	}
	list, err := s.resources(ctx)
	if err != nil {
		return err
	}
	lost := 0
	for n, r := range list {
		if r.URI <= at.After {
			continue
		}
		d, err := s.document(ctx, r)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			err = out.Document(d)
		case sdk.KindOf(err) == "auth" || sdk.KindOf(err) == "busy":
			return err
		default:
			// One resource may be what the server breaks at; several are the server.
			if sdk.KindOf(err) == "" {
				lost++
			}
			if lost > 3 {
				return err
			}
			err = out.Failed(idOf(r.URI), err)
		}
		if err != nil {
			return err
		}
		if n%perCheckpoint == perCheckpoint-1 {
			if err := checkpoint(out, cursor{After: r.URI}); err != nil {
				return err
			}
		}
	}
	return checkpoint(out, cursor{})
}

func checkpoint(out sink, at cursor) error {
	if len(at.After) > 4<<10 {
		return nil // the next one will do
	}
	c, err := sdk.JSONCursor(at)
	if err != nil {
		return err
	}
	return out.Checkpoint(c)
}

// List names all resources.
func (s *Source) List(ctx context.Context, out *sdk.Listing) error {
	list, err := s.resources(ctx)
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := out.Document(idOf(r.URI), ""); err != nil {
			return err
		}
	}
	return nil
}

// resources are sorted by address, each once. Templates are no resources: nobody
// knows what to fill in.
func (s *Source) resources(ctx context.Context) ([]*mcp.Resource, error) {
	if !s.offers("resources") {
		return nil, nil
	}
	list, err := paged(ctx, s.link, "listing the resources", func(ctx context.Context, c *session, cursor string) ([]*mcp.Resource, string, error) {
		if caps := c.InitializeResult().Capabilities; caps == nil || caps.Resources == nil {
			return nil, "", nil
		}
		got, err := c.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return got.Resources, got.NextCursor, nil
	})
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(r *mcp.Resource) bool { return r == nil || r.URI == "" })
	slices.SortStableFunc(list, func(a, b *mcp.Resource) int { return cmp.Compare(a.URI, b.URI) })
	return slices.CompactFunc(list, func(a, b *mcp.Resource) bool { return a.URI == b.URI }), nil
}

// idOf is the address, or a print of one that is too long for an id.
func idOf(uri string) string {
	uri = strings.ToValidUTF8(uri, "\uFFFD")
	if len(uri) <= 1<<10 {
		return uri
	}
	sum := sha256.Sum256([]byte(uri))
	return clip(uri, 500) + "#" + hex.EncodeToString(sum[:16])
}

// document reads one resource. Access is what the source's owner configured.
func (s *Source) document(ctx context.Context, r *mcp.Resource) (sdk.Document, error) {
	if r.Size > maxMessage/2 {
		return sdk.Document{}, sdk.TooLarge(fmt.Errorf("the resource takes %d bytes", r.Size))
	}
	contents, err := s.read(ctx, r.URI)
	if err != nil {
		return sdk.Document{}, err
	}
	d := sdk.Document{
		ID: idOf(r.URI), Title: cmp.Or(r.Title, r.Name, r.URI), Kind: "resource", MediaType: r.MIMEType, Access: sdk.HostAccess, Meta: map[string]string{},
	}
	if u, err := url.Parse(r.URI); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
		d.URL = u.String()
	}
	if r.Description != "" {
		d.Meta["description"] = clip(r.Description, 500)
	}
	var texts []string
	for _, c := range contents {
		if len(c.Blob) == 0 {
			d.MediaType = cmp.Or(c.MIMEType, d.MediaType)
			texts = append(texts, c.Text)
			continue
		}
		d.Files = append(d.Files, sdk.FileRef{
			Ref: refOf(c.Blob, r.URI), Name: nameOf(cmp.Or(c.URI, r.URI), r.Name), MediaType: cmp.Or(c.MIMEType, r.MIMEType), Size: int64(len(c.Blob)),
		})
	}
	d.Body = strings.ToValidUTF8(strings.Join(texts, "\n\n"), "\uFFFD")
	if d.MediaType == "" || d.Body == "" {
		d.MediaType = "text/plain"
	}
	return d, nil
}

func (s *Source) read(ctx context.Context, uri string) ([]*mcp.ResourceContents, error) {
	got, err := call(ctx, s.link, "reading "+clip(uri, 200), true, func(ctx context.Context, c *session) (*mcp.ReadResourceResult, error) {
		return c.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(got.Contents, func(c *mcp.ResourceContents) bool { return c == nil }), nil
}

// refOf changes with the content.
func refOf(blob []byte, uri string) string {
	sum := sha256.Sum256(blob)
	return hex.EncodeToString(sum[:16]) + " " + uri
}

func nameOf(uri, name string) string {
	if u, err := url.Parse(uri); err == nil {
		if base := path.Base(u.Path); base != "." && base != "/" {
			return base
		}
	}
	return cmp.Or(name, uri)
}

// Fetch reads the part of a resource that is no text.
func (s *Source) Fetch(ctx context.Context, ref string) (*sdk.File, error) {
	_, uri, ok := strings.Cut(ref, " ")
	if !ok {
		return nil, sdk.Gone(errors.New("there is no such file"))
	}
	contents, err := s.read(ctx, uri)
	if err != nil {
		return nil, err
	}
	for _, c := range contents {
		if len(c.Blob) > 0 && refOf(c.Blob, uri) == ref {
			return &sdk.File{Name: nameOf(cmp.Or(c.URI, uri), ""), MediaType: c.MIMEType, Size: int64(len(c.Blob)), Content: io.NopCloser(bytes.NewReader(c.Blob))}, nil
		}
	}
	return nil, sdk.Gone(errors.New("the file has changed since"))
}
