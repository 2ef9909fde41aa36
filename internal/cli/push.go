package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/bot/httpapi"
	"github.com/footnote-bot/footnote/core"
)

// pushFlags are those of footnote push.
type pushFlags struct {
	id, title, url, access          string
	remove, batch                   bool
	complete, acceptDeletes, asJSON bool
	server, tokenFile               string
}

func (inv *invocation) pushCommand() *cobra.Command {
	var f pushFlags
	c := &cobra.Command{
		Use:   "push SOURCE FILE…",
		Short: "Push documents into a source, from scripts and CI",
		Long: `Push files as documents into a source of the connector push, which was made with
footnote source add push --name SOURCE. A file's path is its id, unless --id says
another: the same path pushed again replaces the document, and one that did not
change is no work. "-" is standard input, as Markdown.

With --delete the words after SOURCE are ids of documents that are gone. With
--batch each FILE holds documents as POST /documents takes them, as JSON or NDJSON.
With --server they go to another machine's footnote serve, with a token of
footnote token create --source SOURCE in a file.`,
		Args: atLeast(1, "a source"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(args[1:]); err != nil {
				return err
			}
			if f.server != "" {
				return inv.pushTo(c.Context(), args[0], args[1:], f)
			}
			return inv.withFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.pushHere(ctx, a, args[0], args[1:], f)
			})
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.id, "id", "", "the document's id, of one file (default its path)")
	fl.StringVar(&f.title, "title", "", "the document's title, of one file (default what the file says)")
	fl.StringVar(&f.url, "url", "", "address that opens the document for a person, of one file")
	fl.StringVar(&f.access, "access", "", "who may read the documents: public, workspace, nobody, user:EMAIL, group:SOURCE/NAME (default the source's own rule)")
	fl.BoolVar(&f.remove, "delete", false, "the words after SOURCE are ids of documents that are gone")
	fl.BoolVar(&f.batch, "batch", false, "each FILE holds documents as JSON or NDJSON")
	fl.BoolVar(&f.complete, "complete", false, "these are all documents of the source; others are deleted")
	fl.BoolVar(&f.acceptDeletes, "accept-deletes", false, "with --complete: delete however many that are")
	fl.StringVar(&f.server, "server", "", "push to the footnote serve at this address instead of this data folder")
	fl.StringVar(&f.tokenFile, "token-file", "", "with --server: file that holds the token")
	fl.BoolVar(&f.asJSON, "json", false, "print what POST /documents answers, one JSON object a request")
	return c
}

// check refuses flags that contradict each other.
func (f pushFlags) check(names []string) error {
	one := f.id != "" || f.title != "" || f.url != ""
	switch {
	case len(names) == 0 && !f.complete:
		return core.Errorf(core.KindUsage, "footnote push needs files, or ids with --delete")
	case f.remove && (f.batch || f.complete || one || f.access != ""):
		return core.Errorf(core.KindUsage, "--delete takes ids and no other flag about documents")
	case one && (len(names) != 1 || f.batch):
		return core.Errorf(core.KindUsage, "--id, --title and --url are for one file that is a document")
	case f.batch && f.access != "":
		return core.Errorf(core.KindUsage, "--access: with --batch each document says who may read it")
	case f.batch && f.complete && len(names) != 1:
		return core.Errorf(core.KindUsage, "--complete: with --batch give one file that holds all documents")
	case f.acceptDeletes && !f.complete:
		return core.Errorf(core.KindUsage, "--accept-deletes is about what --complete deletes; give both")
	case (f.server == "") != (f.tokenFile == ""):
		return core.Errorf(core.KindUsage, "--server and --token-file go together")
	}
	return nil
}

// pushHere pushes into the open data folder.
func (inv *invocation) pushHere(ctx context.Context, a *app, source string, names []string, f pushFlags) error {
	src, err := a.pushSource(ctx, source)
	if err != nil {
		return err
	}
	bundles, err := inv.pushBundles(names, f, wholeBundle)
	if err != nil {
		return err
	}
	bad := 0
	for _, b := range bundles {
		p, err := httpapi.ReadPush(b.mediaType, b.body, hostAccess(src))
		if err != nil {
			return err
		}
		done, err := a.syncer.Push(ctx, src, p.Push)
		if err != nil {
			return err
		}
		n, err := inv.showPushed(p.Answer(src.Name, done), f.asJSON)
		if err != nil {
			return err
		}
		bad += n
	}
	inv.embedNow(ctx, a)
	return pushedBadly(bad)
}

func pushedBadly(bad int) error {
	if bad > 0 {
		return exited(exitFailure)
	}
	return nil
}

// showPushed prints an answer and counts what is not as it should be.
func (inv *invocation) showPushed(a httpapi.PushAnswer, asJSON bool) (bad int, err error) {
	counts := map[core.PushOutcome]int{}
	for _, d := range a.Documents {
		counts[d.Outcome]++
		if d.Outcome == core.PushFailed || d.Outcome == core.PushRefused {
			bad++
		}
		if d.Message != "" && !asJSON {
			fmt.Fprintf(inv.streams.Err, "note: %s %s: %s\n", console.Clean(d.ID), d.Outcome, console.Clean(d.Message))
		}
	}
	if asJSON {
		return bad, inv.printJSON(a)
	}
	for _, n := range a.Notes {
		fmt.Fprintf(inv.streams.Err, "note: %s\n", console.Clean(n))
	}
	if a.Held > 0 {
		fmt.Fprintf(inv.streams.Err, "note: %s would go; that is so much of %s that nothing is deleted until you push with --complete --accept-deletes\n",
			counted(a.Held, "document"), a.Source)
	}
	var parts []string
	for _, o := range []core.PushOutcome{core.PushWritten, core.PushAccess, core.PushUnchanged, core.PushDeleted, core.PushAbsent, core.PushFailed, core.PushRefused} {
		if n := counts[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(string(o), "_", " ")))
		}
	}
	if more := a.Removed - counts[core.PushDeleted]; more > 0 {
		parts = append(parts, fmt.Sprintf("%d gone", more))
	}
	if len(parts) == 0 {
		parts = []string{"nothing to do"}
	}
	_, err = fmt.Fprintf(inv.streams.Out, "%s: %s\n", a.Source, strings.Join(parts, ", "))
	return bad, err
}
