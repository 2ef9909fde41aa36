package slacktest

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slack-go/slack"
)

// blockRow is one row of testdata/blocks: blocks, and what they are refused with.
type blockRow struct {
	Name    string         `json:"name"`
	Blocks  []any          `json:"blocks"`
	Times   int            `json:"times"`  // the blocks stand so often
	Repeat  map[string]int `json:"repeat"` // a text that stands for so many x
	Where   string         `json:"where"`
	Code    string         `json:"code"`
	Pointer string         `json:"pointer"`
}

func (r *blockRow) run(t *testing.T) {
	text := string(rawOf(r.Blocks))
	for mark, n := range r.Repeat {
		text = strings.ReplaceAll(text, strings.Trim(string(rawOf(mark)), `"`), strings.Repeat("x", n))
	}
	var blocks, list []any
	if err := json.Unmarshal([]byte(text), &blocks); err != nil {
		t.Fatal(err)
	}
	for range max(r.Times, 1) {
		list = append(list, blocks...)
	}
	where, ok := map[string]surface{"": inMessage, "stream": inStream, "modal": inModal, "home": inHome}[r.Where]
	if !ok {
		t.Fatalf("unknown place %q", r.Where)
	}
	err := checkBlocks(list, where, SlackSizes())
	var refused *refusal
	if errors.As(err, &refused) != (r.Code != "") {
		t.Fatalf("%v, want %q", err, r.Code)
	}
	if refused == nil {
		return
	}
	if refused.code != r.Code || r.Pointer != "" && !strings.Contains(strings.Join(refused.messages, "\n"), "[json-pointer:"+r.Pointer+"]") {
		t.Errorf("%s %v", refused.code, refused.messages)
	}
}

func TestBlockLimits(t *testing.T) {
	names, err := filepath.Glob("testdata/blocks/*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			var row blockRow
			decoder := json.NewDecoder(strings.NewReader(line))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&row); err != nil {
				t.Errorf("%s: %v: %s", name, err, line)
				continue
			}
			t.Run(row.Name, row.run)
		}
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "é": 1, "中文": 2, "😀": 2, "a&amp;": 6} {
		if got := units(text); got != want {
			t.Errorf("%q is %d units, want %d", text, got, want)
		}
	}
	if got := cutUnits("a😀b", 2); got != "a" {
		t.Errorf("cut through a pair: %q", got)
	}
	if got := cutUnits("a😀b", 3); got != "a😀" {
		t.Errorf("%q", got)
	}
}

// The client sees the pointer of the bad place, and the sizes count for what it
// sent.
func TestBlocksOverTheWire(t *testing.T) {
	_, client := office(t)
	section := func(n int) slack.Block {
		return slack.NewSectionBlock(slack.NewTextBlockObject("mrkdwn", strings.Repeat("y", n), false, false), nil, nil)
	}
	post := func(blocks ...slack.Block) error {
		_, _, err := client.PostMessage("C1", slack.MsgOptionBlocks(blocks...))
		return err
	}
	err := post(section(10), section(3001))
	var e slack.SlackErrorResponse
	if !errors.As(err, &e) || e.Err != "invalid_blocks" || len(e.ResponseMetadata.Messages) != 1 ||
		e.ResponseMetadata.Messages[0] != "[ERROR] must be less than 3001 characters [json-pointer:/blocks/1/text/text]" {
		t.Errorf("%v %+v", err, e.ResponseMetadata)
	}
	wantCode(t, post(section(3000), section(3000), section(3000), section(3000), section(1201)), "msg_blocks_too_long")
	wantCode(t, post(section(3000), section(3000), section(3000), section(3000), section(1200)), "")
	wantCode(t, post(slack.NewMarkdownBlock("", strings.Repeat("z", 12001))), "msg_too_long")
	wantCode(t, post(slack.NewMarkdownBlock("", strings.Repeat("😀", 6000))), "")
	wantCode(t, post(slack.NewMarkdownBlock("", strings.Repeat("😀", 6000)+"x")), "msg_too_long")
	wantCode(t, post(slack.NewAlertBlock(slack.NewTextBlockObject("mrkdwn", "x", false, false))), "invalid_blocks")
}
