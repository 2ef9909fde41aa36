package agent

import (
	"encoding/base64"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/prompts"
)

const (
	mostImages  = 10    // of one question
	imageTokens = 1_100 // what a provider counts for a large image
)

// sort of a question's files: texts, images as addresses, marks for what cannot
// be seen, and how many images are too many.
func attachments(files []core.Attachment, vision bool) (texts []core.Attachment, images []string, unseen int) {
	for _, f := range files {
		switch {
		case len(f.Data) == 0:
			texts = append(texts, f)
		case !vision || !strings.HasPrefix(f.MediaType, "image/"):
			texts = append(texts, core.Attachment{Text: prompts.ImageMark(label(f.Name, "without a name"), false)})
		case len(images) == mostImages:
			unseen++
		default:
			images = append(images, "data:"+f.MediaType+";base64,"+base64.StdEncoding.EncodeToString(f.Data))
			texts = append(texts, core.Attachment{Text: prompts.ImageMark(label(f.Name, "without a name"), true)})
		}
	}
	return texts, images, unseen
}

// writeFiles writes files one a line, the text of each cut to its share of the
// room in tokens.
func writeFiles(files []core.Attachment, room int) string {
	if len(files) == 0 {
		return ""
	}
	sizes := make([]int, len(files))
	for i, f := range files {
		sizes[i] = tokens(writeFile(f))
	}
	var lines []string
	for i, share := range shares(sizes, room) {
		// JSON writes some letters as two, so the first guess may be too long.
		f := files[i]
		for most := share; tokens(writeFile(f)) > share && most > 0; most = most * 3 / 4 {
			f.Text = cut(files[i].Text, most)
		}
		lines = append(lines, writeFile(f))
	}
	return prompts.Files(strings.Join(lines, "\n"))
}

// writeFile is one file as JSON: what stands in it cannot pass for anything else.
func writeFile(f core.Attachment) string {
	if f.Name == "" && f.MediaType == "" {
		return f.Text // a mark of ours
	}
	return compact(struct {
		File    string `json:"file"`
		Content string `json:"content"`
	}{f.Name, f.Text})
}

// writeSaid writes what the thread says, the newest that fit into the room in
// tokens, and tells how many older messages were left out.
func writeSaid(said []core.Said, room int) (string, int) {
	first, used := len(said), 0
	lines := make([]string, len(said))
	for first > 0 {
		m := said[first-1]
		line := compact(struct {
			Author string `json:"author,omitempty"`
			Text   string `json:"text"`
		}{m.Author, m.Text})
		if used += tokens(line) + 1; used > room {
			break
		}
		first--
		lines[first] = line
	}
	if first == len(said) {
		return "", len(said)
	}
	return prompts.Thread(strings.Join(lines[first:], "\n"), first), first
}
