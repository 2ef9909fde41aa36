package prompts

import (
	"strings"
	"unicode"

	"github.com/footnote-bot/footnote/core"
)

// Language is one that the fixed sentences exist in.
type Language string

// The languages of the fixed sentences.
const (
	English Language = "en"
	German  Language = "de"
	Chinese Language = "zh"
)

// LanguageOf guesses the language of a question among those that the fixed
// sentences exist in; English where it is none of them.
func LanguageOf(question string) Language {
	han := false
	for _, r := range question {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			return English
		case unicode.Is(unicode.Han, r):
			han = true
		}
	}
	if han {
		return Chinese
	}
	// One word may be an abbreviation, such as MIT or EIN.
	enough := 2
	if strings.ContainsAny(question, "äöüßÄÖÜ") {
		enough = 1
	}
	if germanWords(question) >= enough {
		return German
	}
	return English
}

// LanguageFor is the language of the fixed sentences for an agent that answers in
// the language named, "" meaning that of the question. Where they do not exist in
// it they are English.
func LanguageFor(named, question string) Language {
	switch strings.ToLower(strings.TrimSpace(named)) {
	case "":
		return LanguageOf(question)
	case "de", "german", "deutsch":
		return German
	case "zh", "chinese", "中文":
		return Chinese
	}
	return English
}

// germanWords counts function words that English questions do not use.
func germanWords(text string) int {
	const words = " der das und ist nicht wie wo wer wann warum welche welcher welches wir ich ein eine einen für kann muss gibt viele wieviel mit bei zum zur über "
	n := 0
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if strings.Contains(words, " "+word+" ") {
			n++
		}
	}
	return n
}

// Sentences are what Footnote says to people in its own words.
type Sentences struct {
	QuotesIntro  string // before the quotes of an answer without a model
	NothingFound string
	Stopped      string // the answer was stopped by the asker
	Cut          string // the model failed in mid-answer
	Truncated    string // the model's reply reached its length limit
	Filtered     string // the model's own filter ended the reply
	Empty        string // the model said nothing, twice
	NotStored    string // the answer could not be kept
	Withdrawn    string // in place of what was shown before more people could read the place
	Closed       string // in its place where a source was closed to its readers meanwhile
	Unsettled    string // who can read the place changed too often while answering
	Silent       string // no answer may be given in the place at all
	Offer        string // to the asker alone: the question can be asked again privately
	Narrowed     string // before the filters that the question itself asked for
	Untitled     string // stands for the title of a source that the asker may not read any more
	fallback     map[core.Kind]string
}

// In returns the sentences in a language.
func In(l Language) Sentences {
	switch l {
	case German:
		return german
	case Chinese:
		return chinese
	}
	return english
}

// Fallback says that quotes follow because the model failed with an error of
// the kind.
func (s Sentences) Fallback(kind core.Kind) string {
	if text, ok := s.fallback[kind]; ok {
		return text
	}
	return s.fallback[core.KindUnavailable]
}

var english = Sentences{
	QuotesIntro:  "These passages fit your question, quoted word for word:",
	NothingFound: "I found nothing about this in the documents that I may use here.",
	Stopped:      "The answer was stopped; this is what had arrived.",
	Cut:          "The language model broke off in the middle of this answer. Ask again for a complete one.",
	Truncated:    "The answer reached the length limit of the language model (model.max_output) and ends early.",
	Filtered:     "The content filter of the language model ended this answer early.",
	Empty:        "The language model gave no answer, so I can only quote the documents.",
	NotStored:    "This answer could not be stored, so it is not part of the thread's history.",
	Withdrawn:    "Who can read this place has changed, so I am answering anew.",
	Closed:       "A source has changed meanwhile, so I am answering anew.",
	Unsettled:    "Who can read this place keeps changing, so I could not finish the answer. Ask again in a minute.",
	Silent:       "I do not answer in this place. Ask me in a direct message.",
	Offer:        "I can also answer this privately, with what you yourself may read.",
	Narrowed:     "Searched only",
	Untitled:     "a source that is gone or that you may no longer read",
	fallback: map[core.Kind]string{
		core.KindUnavailable: "The language model cannot be reached right now (model.base_url), so I can only quote the documents.",
		core.KindTimeout:     "The language model did not answer in time, so I can only quote the documents.",
		core.KindBusy:        "The language model is overloaded right now, so I can only quote the documents.",
		core.KindAuth:        "The language model refused the configured key (model.api_key), so I can only quote the documents.",
		core.KindConfig:      "The configured language model does not exist at its endpoint (model.name), so I can only quote the documents.",
		core.KindTooLarge:    "The question with its context is too long for the language model (model.context_window), so I can only quote the documents.",
		core.KindInvalid:     "The language model refused the request, so I can only quote the documents.",
	},
}

var german = Sentences{
	QuotesIntro:  "Diese Stellen passen zu der Frage, wörtlich zitiert:",
	NothingFound: "Dazu habe ich in den Dokumenten, die ich hier verwenden darf, nichts gefunden.",
	Stopped:      "Die Antwort wurde angehalten; das ist, was bis dahin da war.",
	Cut:          "Das Sprachmodell hat mitten in dieser Antwort abgebrochen. Frag noch einmal, um eine vollständige zu bekommen.",
	Truncated:    "Die Antwort hat die Längengrenze des Sprachmodells erreicht (model.max_output) und endet vorzeitig.",
	Filtered:     "Der Inhaltsfilter des Sprachmodells hat diese Antwort vorzeitig beendet.",
	Empty:        "Das Sprachmodell hat nicht geantwortet, deshalb kann ich nur aus den Dokumenten zitieren.",
	NotStored:    "Diese Antwort konnte nicht gespeichert werden und fehlt deshalb im Verlauf.",
	Withdrawn:    "Wer hier mitlesen kann, hat sich geändert; deshalb antworte ich noch einmal neu.",
	Closed:       "Eine Quelle hat sich inzwischen geändert; deshalb antworte ich noch einmal neu.",
	Unsettled:    "Wer hier mitlesen kann, ändert sich laufend; deshalb wurde die Antwort nicht fertig. Frag in einer Minute noch einmal.",
	Silent:       "An diesem Ort antworte ich nicht. Frag mich in einer Direktnachricht.",
	Offer:        "Ich kann das auch privat beantworten, mit allem, was du selbst lesen darfst.",
	Narrowed:     "Gesucht wurde nur",
	Untitled:     "eine Quelle, die es nicht mehr gibt oder die du nicht mehr lesen darfst",
	fallback: map[core.Kind]string{
		core.KindUnavailable: "Das Sprachmodell ist gerade nicht erreichbar (model.base_url), deshalb kann ich nur aus den Dokumenten zitieren.",
		core.KindTimeout:     "Das Sprachmodell hat nicht rechtzeitig geantwortet, deshalb kann ich nur aus den Dokumenten zitieren.",
		core.KindBusy:        "Das Sprachmodell ist gerade überlastet, deshalb kann ich nur aus den Dokumenten zitieren.",
		core.KindAuth:        "Das Sprachmodell hat den eingestellten Schlüssel abgelehnt (model.api_key), deshalb kann ich nur aus den Dokumenten zitieren.",
		core.KindConfig:      "Das eingestellte Sprachmodell gibt es dort nicht (model.name), deshalb kann ich nur aus den Dokumenten zitieren.",
		core.KindTooLarge:    "Die Frage ist mit allem, was dazugehört, zu lang für das Sprachmodell (model.context_window), deshalb kann ich nur aus den Dokumenten zitieren.",
		core.KindInvalid:     "Das Sprachmodell hat die Anfrage abgelehnt, deshalb kann ich nur aus den Dokumenten zitieren.",
	},
}

var chinese = Sentences{
	QuotesIntro:  "以下段落与你的问题相关，均为原文：",
	NothingFound: "在此处可用的文档中没有找到相关内容。",
	Stopped:      "回答已停止，以上是已收到的部分。",
	Cut:          "语言模型在回答途中中断了。请再问一次以获得完整回答。",
	Truncated:    "回答达到了语言模型的长度上限（model.max_output），因此提前结束。",
	Filtered:     "语言模型的内容过滤器提前结束了此回答。",
	Empty:        "语言模型没有给出回答，因此只能引用文档原文。",
	NotStored:    "此回答未能保存，因此不会出现在会话历史中。",
	Withdrawn:    "能够阅读此处内容的人员有变，因此重新回答。",
	Closed:       "来源在此期间有变，因此重新回答。",
	Unsettled:    "能够阅读此处内容的人员一直在变，因此无法完成回答。请过一分钟再问。",
	Silent:       "我不在此处回答问题。请私信向我提问。",
	Offer:        "我也可以用你本人可读的内容私下回答这个问题。",
	Narrowed:     "仅检索",
	Untitled:     "一个已不存在或你不再可读的来源",
	fallback: map[core.Kind]string{
		core.KindUnavailable: "目前无法连接语言模型（model.base_url），因此只能引用文档原文。",
		core.KindTimeout:     "语言模型没有及时回答，因此只能引用文档原文。",
		core.KindBusy:        "语言模型目前过载，因此只能引用文档原文。",
		core.KindAuth:        "语言模型拒绝了所配置的密钥（model.api_key），因此只能引用文档原文。",
		core.KindConfig:      "所配置的语言模型在该地址不存在（model.name），因此只能引用文档原文。",
		core.KindTooLarge:    "问题及其上下文超出了语言模型的长度（model.context_window），因此只能引用文档原文。",
		core.KindInvalid:     "语言模型拒绝了请求，因此只能引用文档原文。",
	},
}
