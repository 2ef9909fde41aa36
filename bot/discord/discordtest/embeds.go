package discordtest

import (
	"fmt"
	"strings"
)

const (
	maxContent    = 2000 // code points
	maxEmbeds     = 10
	maxEmbedTotal = 6000
	maxRows       = 5
	maxFiles      = 10
	maxFileSize   = 10 << 20 // bytes
)

// checkEmbeds holds embeds against Discord's limits.
func checkEmbeds(m *mistakes, embeds []object) {
	m.count("embeds", len(embeds), 0, maxEmbeds)
	total := 0
	for i, e := range embeds {
		at := fmt.Sprintf("embeds.%d.", i)
		total += checkEmbed(m, at, e)
		if color := whole(e, "color"); color < 0 || color > 0xffffff {
			m.add(at+"color", "NUMBER_TYPE_MAX", "int value should be less than or equal to 16777215.")
		}
	}
	if total > maxEmbedTotal {
		m.add("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of %d", maxEmbedTotal)
	}
}

// checkEmbed checks one embed and returns how much it counts of the total.
func checkEmbed(m *mistakes, at string, e object) int {
	total := 0
	part := func(path, value string, least, most int) {
		m.text(at+path, value, least, most)
		total += len([]rune(value))
	}
	part("title", words(e, "title"), 0, 256)
	part("description", words(e, "description"), 0, 4096)
	if footer, ok := e["footer"].(object); ok {
		part("footer.text", words(footer, "text"), 1, 2048)
	}
	if author, ok := e["author"].(object); ok {
		part("author.name", words(author, "name"), 1, 256)
	}
	fields := list(e, "fields")
	m.count(at+"fields", len(fields), 0, 25)
	for i, f := range fields {
		part(fmt.Sprintf("fields.%d.name", i), words(f, "name"), 1, 256)
		part(fmt.Sprintf("fields.%d.value", i), words(f, "value"), 1, 1024)
	}
	if link := words(e, "url"); link != "" && !webAddress(link) {
		m.add(at+"url", "URL_TYPE_INVALID_SCHEME", "Scheme %q is not supported. Scheme must be one of ('http', 'https').", link)
	}
	return total
}

func webAddress(link string) bool {
	return strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://")
}

// embedText is what a person reads in embeds.
func embedText(embeds []object) string {
	var lines []string
	for _, e := range embeds {
		author, _ := e["author"].(object)
		footer, _ := e["footer"].(object)
		parts := []string{words(author, "name"), words(e, "title"), words(e, "description")}
		for _, f := range list(e, "fields") {
			parts = append(parts, words(f, "name")+": "+words(f, "value"))
		}
		for _, p := range append(parts, words(footer, "text")) {
			if p != "" {
				lines = append(lines, p)
			}
		}
	}
	return strings.Join(lines, "\n")
}
