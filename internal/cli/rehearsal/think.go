package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// think searches first and then repeats the beginning of the best passage, with its
// footnote.
func think(c modeltest.Chat) modeltest.Reply {
	var question string
	for _, m := range c.Messages {
		switch m.Role {
		case "user":
			question = m.Content
		case "tool":
			return quote(m.Content)
		}
	}
	if len(c.Tools) == 0 {
		return said("One, two, three, four, five.") // a test, a plan or a summary
	}
	arguments, err := json.Marshal(map[string][]string{"queries": {short(question, 200)}})
	if err != nil {
		return said("The question cannot be searched for.")
	}
	return modeltest.Reply{Calls: []modeltest.Call{{ID: "c1", Name: c.Tools[0].Function.Name, Arguments: arguments}}}
}

var firstContent = regexp.MustCompile(`"document":(\d+).*?"content":("(?:[^"\\]|\\.)*")`)

func quote(result string) modeltest.Reply {
	m := firstContent.FindStringSubmatch(strings.ReplaceAll(result, "\n", " "))
	var content string
	if m == nil || json.Unmarshal([]byte(m[2]), &content) != nil {
		return said("The documents do not tell.")
	}
	return said(fmt.Sprintf("The documents say: %s [%s]", short(content, 300), m[1]))
}

// said is a text as a model streams it. The counts of tokens are invented.
func said(text string) modeltest.Reply {
	return modeltest.Reply{Text: text, Split: 8, ChunkDelayMS: 5, Usage: &modeltest.Usage{Prompt: 100, Completion: len(text) / 4}}
}

// short cuts a text behind its first n characters and makes one line of it.
func short(text string, n int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	return string(runes[:min(n, len(runes))])
}
