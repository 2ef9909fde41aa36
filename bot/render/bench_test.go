package render

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// answer is 100 kB of what a model writes.
var answer = strings.Repeat(`## Rotating the signing key

To rotate the key, open **Settings → Security** and choose *Rotate*[[1]](https://wiki.example/security/keys). The old key stays valid for 24 hours, see also https://docs.example/keys.

1. Run `+"`footnote key rotate --now`"+` on the server.
2. Check that the new key is listed:
   - `+"`id`"+` begins with k_
   - the **state** is active[[2]](https://wiki.example/security/states)
3. Tell the team in [the channel](https://chat.example/c/ops).

`+"```go\nfunc rotate(ctx context.Context) error {\n\tif key.Age() < day && !force {\n\t\treturn nil\n\t}\n\treturn store.Put(ctx, key)\n}\n```"+`

| Step | Owner | Time |
|------|:-----:|-----:|
| Rotate | Ops | 5 min |
| Verify | Security | 10 min |

> Keys older than 90 days are rejected & logged.

`, 140)

// The parser alone, as the library comes, beside parsing and printing.
func BenchmarkRender(b *testing.B) {
	md := answer[:100_000]
	b.Run("library parse", func(b *testing.B) {
		p := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
		b.SetBytes(int64(len(md)))
		for b.Loop() {
			p.Parse(text.NewReader([]byte(md)))
		}
	})
	for name, d := range map[string]Dialect{"mrkdwn": Mrkdwn, "block": MarkdownBlock, "discord": Discord} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(md)))
			for b.Loop() {
				Render(d, md)
			}
		})
	}
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(len(md)))
		for b.Loop() {
			parse([]byte(md))
		}
	})
	b.Run("split", func(b *testing.B) {
		rendered := Render(Mrkdwn, md)
		b.SetBytes(int64(len(rendered)))
		for b.Loop() {
			Split(rendered, SlackSection)
		}
	})
}
