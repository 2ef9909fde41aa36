package files

import (
	"path"
	"strings"
)

// class says what is done with a file.
type class int

const (
	unknown    class = iota // decided by its first bytes
	text                    // a document with a body
	attachment              // a document with a file that the host extracts
	binary                  // skipped
)

var textTypes = map[string]string{
	"md": "text/markdown", "markdown": "text/markdown", "mdx": "text/markdown", "mdown": "text/markdown", "qmd": "text/markdown",
	"txt": "text/plain", "text": "text/plain", "log": "text/plain", "rst": "text/plain", "adoc": "text/plain",
	"asciidoc": "text/plain", "org": "text/plain", "tex": "text/x-tex",
	"html": "text/html", "htm": "text/html", "xhtml": "text/html",
	"csv": "text/csv", "tsv": "text/tab-separated-values",
	"json": "application/json", "jsonl": "application/jsonl", "ndjson": "application/x-ndjson",
	"yaml": "text/yaml", "yml": "text/yaml", "toml": "text/x-toml", "ini": "text/x-ini", "cfg": "text/x-ini",
	"xml": "text/xml", "sql": "text/x-sql", "css": "text/css", "scss": "text/x-scss", "proto": "text/x-protobuf",
	"go": "text/x-go", "py": "text/x-python", "js": "text/javascript", "mjs": "text/javascript", "jsx": "text/javascript",
	"ts": "text/x-typescript", "tsx": "text/x-typescript", "java": "text/x-java", "kt": "text/x-kotlin",
	"scala": "text/x-scala", "c": "text/x-c", "h": "text/x-c", "cc": "text/x-c++", "cpp": "text/x-c++", "hpp": "text/x-c++",
	"cs": "text/x-csharp", "rs": "text/x-rust", "rb": "text/x-ruby", "php": "text/x-php", "swift": "text/x-swift",
	"sh": "text/x-shellscript", "bash": "text/x-shellscript", "zsh": "text/x-shellscript", "ps1": "text/x-powershell",
	"lua": "text/x-lua", "pl": "text/x-perl", "r": "text/x-r", "dart": "text/x-dart", "ex": "text/x-elixir",
	"exs": "text/x-elixir", "erl": "text/x-erlang", "hs": "text/x-haskell", "clj": "text/x-clojure",
	"tf": "text/x-terraform", "vue": "text/x-vue", "graphql": "text/x-graphql", "diff": "text/x-diff", "patch": "text/x-diff",
}

var attachmentTypes = map[string]string{
	"pdf":  "application/pdf",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"docm": "application/vnd.ms-word.document.macroenabled.12",
	"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"pptm": "application/vnd.ms-powerpoint.presentation.macroenabled.12",
	"ppsx": "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"xlsm": "application/vnd.ms-excel.sheet.macroenabled.12",
	"odt":  "application/vnd.oasis.opendocument.text",
	"epub": "application/epub+zip",
	"eml":  "message/rfc822",
}

// binaryTypes are endings whose files are not worth opening.
var binaryTypes = set("png jpg jpeg gif webp bmp tif tiff ico heic avif psd mp3 wav flac ogg m4a mp4 mov avi mkv webm " +
	"zip gz tgz bz2 xz zst 7z rar tar jar war exe dll so dylib o a class pyc wasm woff woff2 ttf otf eot " +
	"db sqlite sqlite3 doc xls ppt ods odp")

func set(words string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}

// classify decides by the name's ending and returns the media type, "" for
// binary and unknown files.
func classify(name string) (class, string) {
	ext := extension(name)
	switch {
	case textTypes[ext] != "":
		return text, textTypes[ext]
	case attachmentTypes[ext] != "":
		return attachment, attachmentTypes[ext]
	case binaryTypes[ext]:
		return binary, ""
	}
	return unknown, ""
}

func extension(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
}
