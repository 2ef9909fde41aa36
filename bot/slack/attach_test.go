package slack

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
)

type pretend struct{ err error }

func (p pretend) Extract(_ context.Context, name, _ string, content []byte) (string, error) {
	if p.err != nil {
		return "", p.err
	}
	return "text of " + name + ": " + strings.ToUpper(string(content)), nil
}

func TestFilesAreReadOrNamed(t *testing.T) {
	t.Parallel()
	const pdf, png = "application/pdf", "image/png"
	for name, row := range map[string]struct {
		file   slacktest.FileData
		change func(*Options)
		text   string // of the attachment
		image  bool
		unread string // why not
	}{
		"text":            {file: slacktest.FileData{Name: "a.txt", Type: "text/plain", Data: []byte("hello")}, text: "hello"},
		"pdf":             {file: slacktest.FileData{Name: "a.pdf", Type: pdf, Data: []byte("%pdf")}, change: func(o *Options) { o.Extract = pretend{} }, text: "text of a.pdf: %PDF"},
		"pdf, no reader":  {file: slacktest.FileData{Name: "a.pdf", Type: pdf, Data: []byte("%pdf")}, unread: "not read"},
		"pdf, broken":     {file: slacktest.FileData{Name: "a.pdf", Type: pdf, Data: []byte("%pdf")}, change: func(o *Options) { o.Extract = pretend{errors.New("bad")} }, unread: "no text"},
		"image":           {file: slacktest.FileData{Name: "a.png", Type: png, Data: []byte("\x89PNG\r\n\x1a\n")}, change: func(o *Options) { o.Vision = true }, image: true},
		"no image":        {file: slacktest.FileData{Name: "a.png", Type: png, Data: []byte("text")}, change: func(o *Options) { o.Vision = true }, unread: "not the image"},
		"image, no eyes":  {file: slacktest.FileData{Name: "a.png", Type: png, Data: []byte("png")}, unread: "images"},
		"elsewhere":       {file: slacktest.FileData{Name: "a.doc", Type: pdf, External: "https://files.example/a"}, unread: "not kept in Slack"},
		"empty":           {file: slacktest.FileData{Name: "a.txt", Type: "text/plain", Data: []byte(" ")}, unread: "no text"},
		"an image, large": {file: slacktest.FileData{Name: "a.png", Type: png, Data: make([]byte, largestImage+1)}, change: func(o *Options) { o.Vision = true }, unread: "larger than 5 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, row.change)
			w.Say(slacktest.Say{Channel: "C1", User: "U1", Text: "<@" + slacktest.BotUser + "> what is it?", Files: []slacktest.FileData{row.file}})
			w.settled()
			q := w.questions()[0]
			switch {
			case row.unread != "":
				if shown := w.FromApps("C1")[0].Shown; len(q.Files) != 0 || !strings.Contains(shown, row.file.Name) || !strings.Contains(shown, row.unread) {
					t.Errorf("shown %q, files %v", shown, q.Files)
				}
			case len(q.Files) != 1 || q.Files[0].Text != row.text || row.image != (len(q.Files[0].Data) > 0):
				t.Errorf("files %+v", q.Files)
			}
		})
	}
}

func TestAScopeThatIsMissingShowsAsSignInPage(t *testing.T) {
	if !signInPage([]byte("\n <!DOCTYPE html><html>"), "text/plain") || signInPage([]byte("<!doctype html>"), "text/html") || signInPage([]byte("doc"), "text/plain") {
		t.Error("the sign-in page is not told from a file")
	}
}
