package slack

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/core"
)

func statusError(resp *http.Response) error {
	if s := resp.Header.Get("Retry-After"); resp.StatusCode == http.StatusTooManyRequests && s != "" {
		if seconds, err := strconv.Atoi(s); err == nil {
			return &slack.RateLimitedError{RetryAfter: time.Duration(seconds) * time.Second}
		}
	}
	return slack.StatusCodeError{Code: resp.StatusCode, Status: resp.Status}
}

// capped is a writer that fails when it gets too much.
type capped struct {
	bytes.Buffer
	most int
}

func (c *capped) Write(p []byte) (int, error) {
	if c.Len()+len(p) > c.most {
		return 0, core.Errorf(core.KindTooLarge, "larger than %d MB", c.most/1_000_000)
	}
	return c.Buffer.Write(p)
}

// download reads a file of a message, at most so many bytes. The client library
// sends the token to Slack's own hosts only.
func (a *api) download(ctx context.Context, address string, most int) ([]byte, error) {
	var out *capped
	err := a.call(ctx, call{method: "files.download"}, func(ctx context.Context) error {
		out = &capped{most: most}
		return a.slack.GetFileContext(ctx, address, out)
	})
	if err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// upload shares a text as a file in a channel's thread. The id comes also with an
// error, where the file may be there all the same.
func (a *api) upload(ctx context.Context, channel, thread, name, comment, content string) (id string, err error) {
	err = a.call(ctx, call{method: "files.upload", channel: channel, effect: adds}, func(ctx context.Context) error {
		at, err := a.slack.GetUploadURLExternalContext(ctx, slack.GetUploadURLExternalParameters{FileName: name, FileSize: len(content)})
		if err != nil {
			return err
		}
		err = a.slack.UploadToURL(ctx, slack.UploadToURLParameters{UploadURL: at.UploadURL, Content: content, Filename: name})
		if err != nil {
			return err
		}
		id = at.FileID
		_, err = a.slack.CompleteUploadExternalContext(ctx, slack.CompleteUploadExternalParameters{
			Files: []slack.FileSummary{{ID: id, Title: name}}, Channel: channel, ThreadTimestamp: thread, InitialComment: comment,
		})
		return err
	})
	return id, err
}

// deleteFile takes a file of the bot away everywhere.
func (a *api) deleteFile(ctx context.Context, id string) error {
	return a.call(ctx, call{method: "files.delete", effect: sets}, func(ctx context.Context) error {
		return a.slack.DeleteFileContext(ctx, id)
	})
}
