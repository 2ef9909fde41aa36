package find

import (
	"regexp"
	"strings"
)

// A message of at most so many words, or so many letters where the script writes no
// spaces between words, is short.
const (
	shortWords   = 14
	shortLetters = 40
)

// pointing are words that mean something said before. Words that mostly mean
// something else, such as the German articles, are not among them: what is missed
// costs little, for the answering model writes out what its queries refer to.
var pointing = wordSet(`it its itself this that these those they them their theirs he him his she her hers former latter ones
	dies diese dieser dieses diesem diesen davon dafür damit daran darüber dazu daraus dagegen er ihn ihm ihnen sie deren dessen jene jener jenes
	ça cela ceci celui celle ceux celles elle elles ils lui leur eso esto ese esa esos esas ello ellos ellas questo quello esso
	ese isso isto aquilo ele ela eles`)

// going are words with which a sentence goes on where another one ended.
var going = wordSet(`and but or so then also why und aber oder also dann warum wieso et mais ou pourquoi y pero o e ma allora mas`)

// writing are words that ask who wrote something.
var writing = wordSet(`wrote written author authored authors posted publisher verfasst geschrieben autor autorin autoren verfasser
	écrit auteur escribió escrito autor scritto autore`)

// when matches words of time that may mean when a document was written, and
// questions of who wrote it. How long something takes is no such time.
var when = regexp.MustCompile(`(?i)\b(?:today|yesterday|recent|recently|lately|latest|newest|since|ago|until|` +
	`(?:this|next|(?:last|past|previous)(?:\s+\S+){0,3}?)\s+(?:hour|day|night|week|weekend|month|quarter|year|spring|summer|autumn|fall|winter)s?|` +
	`did\s+\pL+(?:\s+\pL+)?\s+(?:write|post|publish)|` + // who wrote it
	`heute|gestern|kürzlich|neulich|neueste[nrs]?|seit|letzte[nmrs]?|vorige[nmrs]?|diese[mnrs]?\s+(?:woche|monat|quartal|jahr)|` +
	`aujourd'hui|hier|récemment|dernière?s?|depuis|hoy|ayer|reciente|recientemente|desde|` +
	`(?:19|20)\d\d)\b`)

// calendar matches names of months and days, which say when a document was written
// only in questions about what was: the canteen that opens on Friday is none.
var (
	calendar = regexp.MustCompile(`(?i)\b(?:january|february|march|april|june|july|august|september|october|november|december|` +
		`monday|tuesday|wednesday|thursday|friday|saturday|sunday|januar|februar|märz|juni|juli|oktober|dezember|` +
		`montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)\b`)
	past = regexp.MustCompile(`(?i)\b(?:was|were|did|had|been|happened|wurden?|war|waren|hatten?)\b`)
)

// signs are the same kinds of words where there are no spaces to tell words by, or
// no letters that a word's border is known by.
var signs = []string{
	"últim",
	"它", "他", "她", "这", "那个", "那些", "该", "上述", "これ", "それ", "あれ", "この", "その", "あの", "彼", "彼女", "이것", "그것", "그들",
	"今天", "昨天", "最近", "最新", "上周", "上个月", "上月", "去年", "今年", "本周", "本月", "以来", "之前", "以前",
	"今日", "昨日", "先週", "先月", "昨年", "今週", "今月", "오늘", "어제", "최근", "지난", "작성", "作者", "写的", "書いた",
}

func wordSet(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// trivial tells whether a search needs no plan: the message is short and says
// everything itself, and the answering model has thought of a query. Going says
// that something was said before it.
func trivial(message string, queries []string, named, going bool) bool {
	return !named && short(message) && !refers(message, going) && asked(queries)
}

func short(message string) bool {
	spaced, letters := 0, 0
	for _, w := range strings.Fields(message) {
		spaced++
		for _, r := range w {
			if dense(r) {
				letters++
			}
		}
	}
	return spaced <= shortWords && letters <= shortLetters
}

// refers tells whether the message points at something outside of it: something
// said, a time, somebody who wrote.
func refers(message string, after bool) bool {
	all := strings.FieldsFunc(strings.ToLower(message), func(r rune) bool { return !inWord(r) && r != '\'' })
	for i, w := range all {
		w, _, _ = strings.Cut(w, "'") // it's, that's
		if pointing[w] || writing[w] || i == 0 && after && going[w] {
			return true
		}
	}
	if after && len(all) > 0 && len(all) <= 3 && !strings.ContainsFunc(message, dense) {
		return true // "in Berlin?" goes on with something
	}
	lower := strings.ToLower(message)
	for _, s := range signs {
		if strings.Contains(lower, s) {
			return true
		}
	}
	return when.MatchString(message) || calendar.MatchString(message) && past.MatchString(message)
}

// asked tells whether one of the queries has a word, and none of them points at
// something that a search cannot know.
func asked(queries []string) bool {
	some := false
	for _, q := range queries {
		found := wordsOf(q)
		some = some || len(found) > 0
		for _, w := range found {
			if pointing[w.text] && len(found) <= 3 {
				return false
			}
		}
	}
	return some
}
