package plugins

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// CanGrants tells whether Grants works with this connector.
func (c *Connection) CanGrants() bool { return c.can(wire.FeatureGrants) }

// Grants hands every change of readers and groups since the cursor to each, one
// at a time; an empty cursor means all of them. The cursor is not Sync's. Only nil
// means that all was told: then the last change was a core.AccessWhole. An error
// of each ends the stream and is returned as it is.
func (c *Connection) Grants(ctx context.Context, since core.Cursor, each func(core.AccessChange) error) error {
	const doing = "reading who may read what"
	ctx, watch := c.watchIdle(ctx)
	defer watch.end()
	stream, err := c.process.client.Grants(ctx, &wire.GrantsRequest{Cursor: since})
	if err != nil {
		return c.explain(ctx, doing, err)
	}
	var whole *wire.GrantsComplete
	for {
		event, err := receive(watch, stream)
		if errors.Is(err, io.EOF) {
			return c.endGrants(whole, each)
		}
		if err != nil {
			return c.explain(ctx, doing, err)
		}
		if done := event.GetComplete(); done != nil {
			whole = done
			continue
		}
		change, err := toAccessChange(c.src.Name, event)
		if err != nil {
			return err
		}
		if change == nil {
			continue // of a kind that a later release knows
		}
		if err := each(change); err != nil {
			return err
		}
	}
}

func (c *Connection) endGrants(whole *wire.GrantsComplete, each func(core.AccessChange) error) error {
	if whole == nil {
		return core.Errorf(core.KindUnavailable,
			"source %q: the account of who may read what broke off; what is known of the rest stays as it is", c.src.Name)
	}
	return each(core.AccessWhole{AllGroups: whole.GetAllGroups(), AllDocuments: whole.GetAllDocuments()})
}

// toAccessChange turns an event of the wire into a change, nil if its kind is not
// known. Readers that cannot be understood are nobody, and members that cannot be
// are left out: too few is the safe side.
func toAccessChange(source string, event *wire.GrantsEvent) (core.AccessChange, error) {
	switch e := event.GetEvent().(type) {
	case *wire.GrantsEvent_Grant:
		if badID(e.Grant.GetDocument()) {
			return nil, core.Errorf(core.KindInvalid,
				"source %q: the connector names readers of a document whose id is empty, longer than 1 KiB or holds a control character: report this to its author", source)
		}
		access, host, err := toAccess(source, e.Grant.GetAccess())
		if err != nil {
			access, host = nil, false
		}
		return core.Readers{ExternalID: e.Grant.GetDocument(), Access: access, HostAccess: host}, nil
	case *wire.GrantsEvent_Folder:
		return toFolder(source, e.Folder)
	case *wire.GrantsEvent_FoldersComplete:
		return core.FoldersWhole{}, nil
	case *wire.GrantsEvent_Group:
		return toGroup(source, e.Group)
	case *wire.GrantsEvent_Checkpoint:
		if err := checkCursor(source, e.Checkpoint.GetCursor()); err != nil {
			return nil, err
		}
		return core.Checkpoint{Cursor: e.Checkpoint.GetCursor()}, nil
	}
	return nil, nil
}

// toFolder takes no word for "as the source's owner says": that is wider than what a
// connector can vouch for.
func toFolder(source string, f *wire.FolderGrant) (core.AccessChange, error) {
	if badID(f.GetFolder()) {
		return nil, core.Errorf(core.KindInvalid,
			"source %q: the connector names readers of a folder whose id is empty, longer than 1 KiB or holds a control character: report this to its author", source)
	}
	access, host, err := toAccess(source, f.GetAccess())
	if err != nil || host {
		access = nil
	}
	return core.FolderReaders{Folder: f.GetFolder(), Access: access}, nil
}

func toGroup(source string, g *wire.Group) (core.AccessChange, error) {
	name := strings.TrimSpace(g.GetName())
	if badID(name) {
		return nil, core.Errorf(core.KindInvalid,
			"source %q: the connector told a group whose name is empty, longer than 1 KiB or holds a control character: report this to its author", source)
	}
	if g.GetRemoved() {
		return core.GroupRemoval{Name: name}, nil
	}
	out := core.GroupMembers{Source: source, Name: name}
	for _, email := range g.GetUsers() {
		if email = strings.TrimSpace(email); strings.Contains(email, "@") {
			out.Users = append(out.Users, email)
		}
	}
	for _, inner := range g.GetGroups() {
		if inner != "" {
			out.Groups = append(out.Groups, core.Group(source, inner))
		}
	}
	return out, nil
}

func checkCursor(source string, cursor []byte) error {
	if size := len(cursor); size > wire.MaxCursor {
		return core.Errorf(core.KindTooLarge,
			"source %q: the connector's cursor takes %d bytes, the limit is %d: report this to its author", source, size, wire.MaxCursor)
	}
	return nil
}
