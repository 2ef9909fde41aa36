package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/gaps"
)

func (inv *invocation) gapsCommand() *cobra.Command {
	var since, place string
	var asJSON bool
	c := &cobra.Command{
		Use:   "gaps",
		Short: "What people asked and the documents do not tell",
		Long: `List the questions that found no answer or a weak one, that people were not
content with, or for which they asked for a person, put together by rare words that
they share: by words, not by meaning. The text is fit for a mail.

What was asked in private is counted and never shown. With --place it is what may be
said in that place, as the digest does.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			from, err := momentOrDays("--since", since, time.Now())
			if err != nil {
				return err
			}
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				return inv.gaps(ctx, a, from, place, asJSON)
			})
		},
	}
	c.Flags().StringVar(&since, "since", "7d", "from when on: a length of time such as 7d or 24h, or a date such as 2026-05-31")
	c.Flags().StringVar(&place, "place", "", "only what may be told in this place, such as slack:T1/C1")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// momentOrDays reads days, too, such as 7d.
func momentOrDays(flag, s string, now time.Time) (time.Time, error) {
	if n, err := strconv.Atoi(strings.TrimSuffix(s, "d")); err == nil && strings.HasSuffix(s, "d") && n >= 0 {
		return now.AddDate(0, 0, -n), nil
	}
	return moment(flag, s, now)
}

// gapsView is a digest as --json prints it.
type gapsView struct {
	Since   time.Time           `json:"since"`
	Place   string              `json:"place,omitempty"`
	Asked   int                 `json:"asked"`
	Hidden  int                 `json:"hidden"` // gaps whose text may not be told
	Reasons map[gaps.Reason]int `json:"reasons"`
	Groups  []gapGroupView      `json:"groups"`
	By      string              `json:"grouped_by"` // words
}

type gapGroupView struct {
	Terms     []string            `json:"terms"`
	Reasons   map[gaps.Reason]int `json:"reasons"`
	Questions []gapQuestionView   `json:"questions"`
}

type gapQuestionView struct {
	TurnID   string        `json:"turn_id"`
	At       time.Time     `json:"at"`
	Place    string        `json:"place"`
	Question string        `json:"question"`
	Reasons  []gaps.Reason `json:"reasons"`
}

func (inv *invocation) gaps(ctx context.Context, a *app, since time.Time, place string, asJSON bool) error {
	reader := gaps.Reader{}
	if place != "" {
		var err error
		if reader, err = a.digestReader(ctx, place); err != nil {
			return err
		}
	}
	asked, _, err := a.askedSince(ctx, since)
	if err != nil {
		return err
	}
	d := gaps.DigestFor(asked, reader)
	if !asJSON {
		_, err := io.WriteString(inv.streams.Out, console.Clean(digestText(d, since, a.store.Now())))
		return err
	}
	v := gapsView{Since: since, Place: reader.Place, Asked: d.Asked, Hidden: d.Hidden, Reasons: d.Reasons, Groups: []gapGroupView{}, By: "words"}
	for _, g := range d.Groups {
		group := gapGroupView{Terms: append([]string{}, g.Terms...), Reasons: g.Reasons}
		for _, q := range g.Questions {
			group.Questions = append(group.Questions, gapQuestionView{q.TurnID, q.At, q.Place, q.Text, gaps.Reasons(q)})
		}
		v.Groups = append(v.Groups, group)
	}
	return inv.printJSON(v)
}

// digestReader is who reads a place, as far as that is known now.
func (a *app) digestReader(ctx context.Context, id string) (gaps.Reader, error) {
	place, err := a.rights.noted(ctx, id)
	if err != nil {
		return gaps.Reader{}, err
	}
	audience, err := a.front.Audience(ctx, place, core.Viewer{})
	if err != nil {
		return gaps.Reader{}, err
	}
	return gaps.Reader{Place: place.ID, Class: audience.Class}, nil
}

const (
	digestGroups  = 12
	digestInGroup = 5
	digestLength  = 200 // runes of a question
)

// digestText is a digest as a mail says it.
func digestText(d gaps.Digest, since, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "What the documents did not tell, %s to %s\n\n", since.Format(time.DateOnly), now.Format(time.DateOnly))
	b.WriteString(digestHead(d))
	for i, g := range d.Groups {
		if i == digestGroups {
			fmt.Fprintf(&b, "\nand %d more groups\n", len(d.Groups)-i)
			break
		}
		fmt.Fprintf(&b, "\n%s (%s)\n", digestTitle(g), counted(len(g.Questions), "question"))
		for j, q := range g.Questions {
			if j == digestInGroup {
				fmt.Fprintf(&b, "  and %d more\n", len(g.Questions)-j)
				break
			}
			fmt.Fprintf(&b, "  - %s [%s]\n", excerpt(q.Text, digestLength), reasonsText(gaps.Reasons(q)))
		}
	}
	if len(d.Groups) > 0 {
		b.WriteString("\nQuestions are put together by rare words that they share, not by meaning.\n")
	}
	return b.String()
}

func digestHead(d gaps.Digest) string {
	n := d.Hidden
	for _, g := range d.Groups {
		n += len(g.Questions)
	}
	text := fmt.Sprintf("%s asked; %d found no answer, a weak one, or one that people were not content with.\n", counted(d.Asked, "question"), n)
	if d.Hidden > 0 {
		text += fmt.Sprintf("%d of them were asked where others do not read, and are only counted here.\n", d.Hidden)
	}
	return text
}

func digestTitle(g gaps.Group) string {
	if len(g.Terms) == 0 {
		return "no rare word in common"
	}
	return strings.Join(g.Terms, ", ")
}

func reasonsText(list []gaps.Reason) string {
	var out []string
	for _, r := range list {
		out = append(out, string(r))
	}
	return strings.Join(out, ", ")
}

// digestMarkdown is a digest as a channel gets it. What people wrote stands in code,
// where nothing is a link, a mention or markup.
func digestMarkdown(d gaps.Digest, since time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**What the documents did not tell since %s**\n\n%s", since.Format(time.DateOnly), digestHead(d))
	for i, g := range d.Groups {
		if i == digestGroups {
			fmt.Fprintf(&b, "\nand %d more groups\n", len(d.Groups)-i)
			break
		}
		fmt.Fprintf(&b, "\n`%s` (%s)\n", inCode(digestTitle(g)), counted(len(g.Questions), "question"))
		for _, q := range g.Questions[:min(len(g.Questions), digestInGroup)] {
			fmt.Fprintf(&b, "- `%s` %s\n", inCode(excerpt(q.Text, digestLength)), reasonsText(gaps.Reasons(q)))
		}
	}
	if len(d.Groups) > 0 {
		b.WriteString("\nPut together by rare words, not by meaning.\n")
	}
	return b.String()
}

func inCode(s string) string {
	s = strings.Join(strings.Fields(strings.ReplaceAll(console.Clean(s), "`", "'")), " ")
	if s == "" {
		return "(no text)"
	}
	return s
}
