package extract

import (
	"context"
	"mime"
	"path"
	"strings"
)

// format is how a file is read. The zero value means that it is not.
type format struct {
	parse  func(ctx context.Context, name, body string) (Content, error)
	pdf    bool
	office string // read in a child, as kindWord or another kind
	image  bool
	guess  bool // neither type nor ending said what it is
}

// formatOf decides from the media type first. Types that only say "some text"
// or "some bytes" leave the decision to the name's ending.
func formatOf(name, mediaType string) format {
	kind, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		kind = strings.ToLower(strings.TrimSpace(strings.Split(mediaType, ";")[0]))
	}
	ext := strings.ToLower(strings.TrimPrefix(path.Ext(path.Base(strings.ReplaceAll(name, `\`, "/"))), "."))
	switch kind {
	case "", "application/octet-stream", "binary/octet-stream":
		f := byExtension(ext)
		if f.none() && !knownBinary[ext] {
			f = format{parse: parsePlain, guess: true}
		}
		return f
	case "text/plain":
		if f := byExtension(ext); f.parse != nil || f.office == kindMail {
			return f
		}
		return format{parse: parsePlain}
	}
	return byMediaType(kind, ext)
}

func (f format) none() bool { return f.parse == nil && !f.pdf && f.office == "" && !f.image }

// officeTypes are the media types of what a child reads. Old Office formats are
// among them, so that somebody is told how to save them.
var officeTypes = map[string]string{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   kindWord,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": kindSlide,
	"application/vnd.openxmlformats-officedocument.presentationml.slideshow":    kindSlide,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         kindSheet,
	"application/vnd.ms-word.document.macroenabled.12":                          kindWord,
	"application/vnd.ms-powerpoint.presentation.macroenabled.12":                kindSlide,
	"application/vnd.ms-excel.sheet.macroenabled.12":                            kindSheet,
	"application/vnd.oasis.opendocument.text":                                   kindODT,
	"application/epub+zip":          kindBook,
	"message/rfc822":                kindMail,
	"application/msword":            kindWord,
	"application/vnd.ms-powerpoint": kindSlide,
	"application/vnd.ms-excel":      kindSheet,
}

var officeEndings = map[string]string{
	"docx": kindWord, "docm": kindWord, "dotx": kindWord, "doc": kindWord,
	"pptx": kindSlide, "pptm": kindSlide, "ppsx": kindSlide, "ppt": kindSlide,
	"xlsx": kindSheet, "xlsm": kindSheet, "xltx": kindSheet, "xls": kindSheet,
	"odt": kindODT, "epub": kindBook, "eml": kindMail,
}

func byMediaType(kind, ext string) format {
	switch kind {
	case "application/pdf", "application/x-pdf":
		return format{pdf: true}
	case "text/markdown", "text/x-markdown", "text/mdx":
		return format{parse: parseMarkdown}
	case "text/html", "application/xhtml+xml":
		return format{parse: parseHTML}
	case "text/csv", "application/csv":
		return format{parse: parseCSV}
	case "text/tab-separated-values":
		return format{parse: parseTSV}
	case "application/json", "application/x-ndjson", "application/jsonl", "text/json":
		return format{parse: parseJSON}
	}
	if office := officeTypes[kind]; office != "" {
		if kind == "application/vnd.ms-excel" && ext == "csv" { // what browsers call it
			return format{parse: parseCSV}
		}
		return format{office: office}
	}
	major, minor, _ := strings.Cut(kind, "/")
	switch {
	case major == "image" && minor != "svg+xml":
		return format{image: true}
	case strings.HasSuffix(minor, "+json"):
		return format{parse: parseJSON}
	case major == "text" || strings.HasSuffix(minor, "+xml") || codeTypes[minor]:
		if f := byExtension(ext); f.parse != nil {
			return f
		}
		return format{parse: codeParser(strings.TrimPrefix(minor, "x-"))}
	}
	return format{}
}

func byExtension(ext string) format {
	switch ext {
	case "pdf":
		return format{pdf: true}
	case "md", "markdown", "mdx", "mdown", "qmd":
		return format{parse: parseMarkdown}
	case "html", "htm", "xhtml":
		return format{parse: parseHTML}
	case "csv":
		return format{parse: parseCSV}
	case "tsv":
		return format{parse: parseTSV}
	case "json", "ndjson", "jsonl":
		return format{parse: parseJSON}
	case "png", "jpg", "jpeg", "webp":
		return format{image: true}
	case "txt", "text", "log", "rst", "adoc", "asciidoc", "org":
		return format{parse: parsePlain}
	}
	if office := officeEndings[ext]; office != "" {
		return format{office: office}
	}
	if lang, ok := codeLanguages[ext]; ok {
		return format{parse: codeParser(lang)}
	}
	return format{}
}

// codeTypes are the application/… types that hold text to be shown as code.
var codeTypes = map[string]bool{
	"javascript": true, "ecmascript": true, "typescript": true, "xml": true, "yaml": true, "x-yaml": true,
	"toml": true, "sql": true, "x-sh": true, "x-python": true, "graphql": true, "x-httpd-php": true,
}

// codeLanguages maps an ending to the info string of a code fence.
var codeLanguages = map[string]string{
	"go": "go", "mod": "go", "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript",
	"jsx": "jsx", "ts": "typescript", "tsx": "tsx", "java": "java", "kt": "kotlin", "kts": "kotlin", "scala": "scala",
	"c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp", "cs": "csharp", "rs": "rust", "rb": "ruby",
	"php": "php", "swift": "swift", "m": "objectivec", "lua": "lua", "pl": "perl", "r": "r", "jl": "julia", "hs": "haskell",
	"ml": "ocaml", "ex": "elixir", "exs": "elixir", "erl": "erlang", "clj": "clojure", "dart": "dart", "vue": "vue",
	"svelte": "svelte", "css": "css", "scss": "scss", "less": "less", "sql": "sql", "sh": "sh", "bash": "bash", "zsh": "zsh",
	"ps1": "powershell", "bat": "bat", "yaml": "yaml", "yml": "yaml", "toml": "toml", "ini": "ini", "conf": "conf",
	"cfg": "ini", "env": "sh", "properties": "properties", "xml": "xml", "proto": "proto", "graphql": "graphql",
	"tf": "hcl", "hcl": "hcl", "dockerfile": "dockerfile", "mk": "makefile", "cmake": "cmake", "gradle": "groovy",
	"groovy": "groovy", "tex": "tex", "diff": "diff", "patch": "diff", "zig": "zig", "nix": "nix", "vim": "vim",
}

// knownBinary are endings that are never tried as text.
var knownBinary = map[string]bool{
	"png": true, "jpg": true, "jpeg": true, "gif": true, "webp": true, "ico": true, "bmp": true, "tiff": true,
	"zip": true, "gz": true, "tgz": true, "bz2": true, "xz": true, "zst": true, "7z": true, "rar": true, "tar": true,
	"doc": true, "docx": true, "xls": true, "xlsx": true, "ppt": true, "pptx": true, "odt": true, "ods": true,
	"exe": true, "dll": true, "so": true, "a": true, "o": true, "class": true, "jar": true, "wasm": true, "pyc": true,
	"mp3": true, "mp4": true, "mov": true, "avi": true, "wav": true, "ogg": true, "woff": true, "woff2": true, "ttf": true,
	"db": true, "sqlite": true, "bin": true, "dat": true, "iso": true, "dmg": true, "epub": true, "msg": true,
}
