package plugintest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// granted is one reading of Grants.
type granted struct {
	docs     map[string]*wire.Access
	folders  map[string]*wire.Access
	groups   map[string]bool
	complete *wire.GrantsComplete
	problem  string
}

func (c *session) granted(ctx context.Context) (granted, error) {
	out := granted{docs: map[string]*wire.Access{}, folders: map[string]*wire.Access{}, groups: map[string]bool{}}
	ctx, cancel := context.WithCancel(ctx)
	stream, err := c.client.Grants(ctx, &wire.GrantsRequest{})
	err = each(cancel, stream, err, func(e *wire.GrantsEvent) error {
		if out.complete != nil {
			out.problem = "something came after Complete"
		}
		if len(out.docs)+len(out.folders)+len(out.groups) > mostEvents {
			return errTooMuch
		}
		switch e := e.GetEvent().(type) {
		case *wire.GrantsEvent_Grant:
			out.docs[e.Grant.GetDocument()] = e.Grant.GetAccess()
		case *wire.GrantsEvent_Folder:
			out.folders[e.Folder.GetFolder()] = e.Folder.GetAccess()
		case *wire.GrantsEvent_Group:
			out.groups[e.Group.GetName()] = !e.Group.GetRemoved()
		case *wire.GrantsEvent_Checkpoint:
			if size := len(e.Checkpoint.GetCursor()); size > wire.MaxCursor {
				out.problem = fmt.Sprintf("a cursor takes %d bytes", size)
			}
		case *wire.GrantsEvent_Complete:
			out.complete = e.Complete
		}
		return nil
	})
	if err != nil {
		return out, errors.New(c.why(errors.New(told(err))))
	}
	if out.complete == nil && out.problem == "" {
		out.problem = "the stream ended without an error and without Complete"
	}
	return out, nil
}

func grantsComplete(ctx context.Context, s *suite) verdict {
	c, err := s.common(ctx)
	if err != nil {
		return failed("%v", err)
	}
	g, err := c.granted(ctx)
	if err != nil {
		return failed("%v", err)
	}
	return verdictOf(g.problem)
}

func grantsAgree(ctx context.Context, s *suite) verdict {
	c, err := s.common(ctx)
	if err != nil {
		return failed("%v", err)
	}
	g, err := c.granted(ctx)
	if err != nil {
		return failed("%v", err)
	}
	for id, access := range g.docs {
		if d, ok := s.first.docs[id]; ok && !sameReaders(d.access, access) {
			return failed("Sync gives document %q to %s and Grants to %s", clip(id, 80), readers(d.access), readers(access))
		}
	}
	for id, d := range s.first.docs {
		access, inFolder := g.folderOf(d.folders)
		if inFolder && !sameReaders(d.access, access) {
			return failed("Sync gives document %q to %s and Grants its folder to %s", clip(id, 80), readers(d.access), readers(access))
		}
		if _, ok := g.docs[id]; !ok && (!inFolder || len(g.docs) > 0) && g.complete.GetAllDocuments() && !d.access.GetHost() {
			return failed("Grants says that it told all documents, and left out %q: the host would close it", clip(id, 80))
		}
		for _, group := range d.access.GetGroups() {
			if !g.groups[group] && g.complete.GetAllGroups() {
				return failed("document %q is for group %q, of which Grants tells no members", clip(id, 80), group)
			}
		}
	}
	return passed("%d documents, %d folders, %d groups", len(g.docs), len(g.folders), len(g.groups))
}

// folderOf is who may read what lies in the folders, by the innermost that was named.
func (g granted) folderOf(folders []string) (access *wire.Access, ok bool) {
	for _, f := range folders {
		if a, named := g.folders[f]; named {
			access, ok = a, true
		}
	}
	return access, ok
}

func sameReaders(a, b *wire.Access) bool {
	return a.GetPublic() == b.GetPublic() && a.GetWorkspace() == b.GetWorkspace() && a.GetHost() == b.GetHost() &&
		sameSet(a.GetUsers(), b.GetUsers()) && sameSet(a.GetGroups(), b.GetGroups()) && sameSet(a.GetPrincipals(), b.GetPrincipals())
}

func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

func readers(a *wire.Access) string {
	if unread(a) {
		return "nobody"
	}
	return clip(a.String(), 120)
}
