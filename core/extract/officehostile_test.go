package extract

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Mails that are made to take long or much are read in part, or refused.
func TestHostileMails(t *testing.T) {
	parts := func(n int) string {
		return "MIME-Version: 1.0\nSubject: x\nContent-Type: multipart/mixed; boundary=b\n\n" +
			strings.Repeat("--b\nContent-Type: application/pdf; name=a.pdf\nContent-Disposition: attachment\n\nx\n", n) + "--b--\n"
	}
	nested := func(n int) string {
		var b strings.Builder
		b.WriteString("MIME-Version: 1.0\nSubject: x\n")
		for i := range n {
			fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
		}
		b.WriteString("Content-Type: text/plain\n\nwords\n")
		return b.String()
	}
	words := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n", i)
		}
		return b.String()
	}
	for _, row := range []struct {
		name, kind string
		body       string
		most       int // attachments
		deep       bool
	}{
		{"10,000 attachments", kindMail, parts(10_000), maxAttachments, false},
		{"parts in parts", kindMail, nested(300), 0, true},
		{"many headers", kindMail, "Subject: x\n" + strings.Repeat("X-A: y\n", 50_000) + "\nwords", 0, false},
		{"long header", kindMail, "Subject: " + strings.Repeat("y ", 500_000) + "\n\nwords", 0, false},
		{"as deep as may be", kindMail, nested(maxMailDepth), 0, false},
		{"talk of boundaries", kindMail, "Subject: x\n\n" + words(50), 0, false},
		{"encoded words", kindMail, "Subject: " + strings.Repeat("=?utf-8?q?a?= ", 20_000) + "\n\nwords", 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			attached := 0
			got, err := readOffice(strings.NewReader(row.body), int64(len(row.body)), order{Kind: row.kind, Text: 1 << 20, Pages: 1000}, func(attachment) error { attached++; return nil })
			size := 0
			for _, b := range got.content.Blocks {
				size += len(b.Text)
			}
			if errors.Is(err, errTooDeep) != row.deep {
				t.Errorf("%v", err)
			}
			if attached > row.most || size > len(row.body) || err == nil && size == 0 {
				t.Errorf("%v: %d attachments, %d bytes of text", err, attached, size)
			}
		})
	}
}
