package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"time"

	"github.com/jhillyerd/enmime/v2"
)

// maxAttachments bounds how many attachments of one mail are read.
const maxAttachments = 50

// attachment is a file that came with a mail.
type attachment struct {
	name, mediaType string
	body            []byte
}

// readMail reads a mail's headers and text, and hands over its attachments. What
// programs put into the text, such as logos, is left out.
func readMail(r io.Reader, o order, attach func(attachment) error) (officeFile, error) {
	env, err := enmime.ReadEnvelope(r)
	if err != nil || len(env.GetHeaderKeys()) == 0 {
		return officeFile{}, errors.Join(errDamaged, err)
	}
	c := Content{Title: oneLine(normalise(env.GetHeader("Subject"))), Meta: map[string]string{}}
	c.Blocks = mailHead(env, c.Meta)
	body, err := mailBody(env)
	if err != nil {
		return officeFile{}, err
	}
	c.Blocks = append(c.Blocks, body...)
	parts := append(append([]*enmime.Part{}, env.Attachments...), env.OtherParts...)
	for i, p := range parts {
		if o.Flat || i >= maxAttachments {
			c.Notes = append(c.Notes, fmt.Sprintf("%d attachments were not read.", len(parts)-i))
			break
		}
		name := oneLine(normalise(p.FileName))
		if name == "" {
			name = unnamed(p.ContentType, i+1)
		}
		if err := attach(attachment{name, p.ContentType, p.Content}); err != nil {
			return officeFile{}, err
		}
	}
	return officeFile{content: c}, nil
}

func unnamed(mediaType string, n int) string {
	ending := ""
	if all, err := mime.ExtensionsByType(mediaType); err == nil && len(all) > 0 {
		ending = all[0]
	}
	if mediaType == "message/rfc822" {
		ending = ".eml"
	}
	return fmt.Sprintf("attachment %d%s", n, ending)
}

// mailHead is who wrote to whom and when, as text: that is often what is asked for.
func mailHead(env *enmime.Envelope, meta map[string]string) []Block {
	var lines []string
	for _, key := range []string{"Subject", "From", "To", "Cc", "Date"} {
		text := oneLine(normalise(env.GetHeader(key)))
		if text == "" {
			continue
		}
		if key == "Date" {
			if at, err := env.Date(); err == nil {
				text = at.UTC().Format(time.RFC1123)
				meta["date"] = at.UTC().Format(time.RFC3339)
			}
		}
		if len(text) > 2000 { // lists of recipients have no end
			text = strings.ToValidUTF8(text[:2000], "") + "…"
		}
		if key == "From" {
			meta["author"] = text
		}
		lines = append(lines, key+": "+text)
	}
	if len(lines) == 0 {
		return nil
	}
	return []Block{{Kind: KindParagraph, Text: strings.Join(lines, "\n")}}
}

func mailBody(env *enmime.Envelope) ([]Block, error) {
	if strings.TrimSpace(env.HTML) != "" {
		c, err := parseHTML(context.Background(), "", normalise(env.HTML))
		for i := range c.Blocks {
			c.Blocks[i].Anchor = ""
		}
		if err != nil || len(c.Blocks) > 0 {
			return c.Blocks, err
		}
	}
	return paragraphs(normalise(env.Text)), nil
}
