package bot

import (
	"slices"
	"strings"
)

// asksEnglish finds English questions by the order of their words: a question
// word, or a noun with one, before a verb that can lead a question, or such a
// verb before its subject. "When I came" and "which is why" are none.
func asksEnglish(words []string) bool {
	first, second := words[0], words[1]
	switch first {
	case "how":
		return leading[second] || setHow[second] && len(words) > 3 && slices.ContainsFunc(words[2:], lead)
	case "what", "which", "whose":
		if first == "which" && leading[second] {
			return false
		}
		return leading[second] || !subjects[second] && slices.ContainsFunc(words[2:min(len(words), 5)], lead)
	case "where", "when", "why", "who", "whom", "whats", "wheres", "hows":
		return leading[second] || first == "who" && asksWho[second] || first != "who" && strings.HasSuffix(first, "s")
	}
	return inverted[first] && subjects[second] && !(first == "do" && second == "the")
}

func lead(word string) bool { return leading[word] }

var (
	leading = setOf("is", "are", "was", "were", "do", "does", "did", "can", "could", "should", "would", "will", "have", "has",
		"had", "may", "might", "must", "s", "isn", "aren", "don", "doesn", "didn", "can", "couldn", "won", "shouldn")
	setHow   = setOf("much", "many", "long", "often", "far", "big", "old", "fast", "high", "large", "late", "early", "come", "to")
	asksWho  = setOf("knows", "owns", "runs", "handles", "maintains", "approves", "signs", "decides", "manages", "uses", "wrote", "built")
	inverted = setOf("is", "are", "was", "were", "do", "does", "did", "can", "could", "should", "would", "will", "has", "am", "isn", "doesn", "didn")
	subjects = setOf("i", "we", "you", "they", "he", "she", "it", "there", "the", "this", "that", "these", "those", "a", "an",
		"my", "our", "your", "their", "anyone", "anybody", "someone", "somebody", "any", "everyone", "t")
)

// openers are first words after which nothing but a question comes.
var openers = setOf(
	"how to", "how do", "any idea", "any ideas", "anyone know", "anyone knows", "anybody know", "may i", "may we", "does anyone know",
	"gibt es", "kann ich", "kann man", "können wir", "kann jemand", "könnte jemand", "weiß jemand", "weiss jemand", "hat jemand",
	"muss ich", "muss man", "darf ich", "darf man", "soll ich", "sollen wir", "wieviel",
	"pourquoi", "combien", "est ce", "est ce que", "qu est ce", "où est", "où sont", "où se", "où puis", "quel est", "quelle est",
	"quels sont", "quelles sont", "comment faire", "comment puis", "comment on", "comment je", "comment peut", "comment fonctionne", "quand est",
	"y a t", "quelqu un sait",
	"cómo", "cuándo", "dónde", "cuál", "cuáles", "quién", "cuánto", "cuántos", "cuántas", "por qué", "qué es", "alguien sabe",
	"onde fica", "onde está", "onde posso", "como faço", "como posso", "como funciona", "qual é", "quem é", "quem sabe", "alguém sabe",
	"come si", "come faccio", "come posso", "come funziona", "dove si", "dove trovo", "dove posso", "dov è", "qual è", "qualcuno sa",
	"hoe kan", "hoe moet", "hoe werkt", "waar is", "waar vind", "waar kan", "waarom", "weet iemand", "wie weet",
	"czy", "gdzie jest", "gdzie są", "dlaczego", "jak mogę", "hur gör", "hur kan", "var finns", "var är", "någon som",
	"где", "почему", "сколько", "зачем", "что такое", "кто знает", "кто нибудь", "подскажите", "можно ли", "есть ли",
	"де", "чому", "скільки", "хтось знає", "هل", "كيف", "أين", "لماذا", "ما هو", "ما هي", "متى", "کجا", "چرا", "چگونه", "آیا",
	"איך", "איפה", "למה", "האם", "מתי", "מישהו יודע", "क्या", "कैसे", "कहाँ", "क्यों", "apakah", "bagaimana", "di mana", "dimana", "kenapa", "mengapa",
	"làm sao", "làm thế nào", "tại sao", "ai biết",
)

// followers are question words that may also begin a statement, with the words
// after which they do not.
var followers = func() map[string]map[string]bool {
	verbs := setOf("ist", "sind", "war", "kann", "kannst", "können", "muss", "müssen", "darf", "dürfen", "soll", "sollen", "wird", "werden",
		"hat", "haben", "bekomme", "bekommt", "mache", "macht", "geht", "gibt", "finde", "findet", "finden", "komme", "heißt", "lautet",
		"steht", "liegt", "läuft", "funktioniert", "viel", "viele", "lange", "oft", "hoch", "groß", "weit", "richte", "stelle", "setze")
	out := map[string]map[string]bool{}
	for _, w := range []string{"wie", "was", "wo", "wann", "warum", "wieso", "weshalb", "wer", "wem", "woher", "wohin"} {
		out[w] = verbs
	}
	delete(out, "was")
	out["was"] = setOf("ist", "sind", "kann", "muss", "soll", "bedeutet", "heißt", "kostet", "passiert", "macht", "mache", "gibt")
	return out
}()

// closers are particles that close a question, as words of their own.
var closers = setOf("mı", "mi", "mu", "mü", "mısınız", "misiniz", "musunuz", "müsünüz", "mıyım", "miyim", "muyum", "müyüm",
	"mıyız", "miyiz", "muyuz", "müyüz", "musun", "müsün", "mısın", "misin")

// asksUnspaced finds questions in scripts that often leave the mark out and write
// words together.
func asksUnspaced(plain string) bool {
	if strings.Contains(plain, "知道") && !strings.HasPrefix(plain, "有人") && !strings.HasPrefix(plain, "谁") {
		return false
	}
	bare := strings.TrimRight(strings.NewReplacer("ครับ", "", "คะ", "", "ค่ะ", "").Replace(plain), " ")
	if len([]rune(bare)) < 4 {
		return false
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(bare, w) })
	}
	ends := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(bare, w) })
	}
	begins := slices.ContainsFunc([]string{"请问", "請問", "怎么", "怎麼", "如何", "为什么", "為什麼", "哪里", "哪裡", "谁知道", "誰知道", "有没有人", "有人知道"},
		func(w string) bool { return strings.HasPrefix(bare, w) })
	return begins || ends("吗", "嗎", "在哪", "在哪里", "在哪裡", "怎么办", "是什么", "多少") ||
		ends("呢") && has("怎么", "什么", "哪", "谁", "几", "多少", "为什么", "如何") ||
		ends("ですか", "ますか", "ましたか", "ませんか", "でしょうか", "ないか") ||
		ends("습니까", "입니까", "나요", "까요", "은가요", "인가요") ||
		ends("ไหม", "มั้ย", "หรือไม่", "หรือยัง", "ที่ไหน", "อย่างไร", "ยังไง", "เมื่อไหร่", "อะไร") ||
		ends("được không", "phải không", "ở đâu", "là gì")
}

// smallTalk is what has a question mark and wants no answer from documents.
var smallTalk = setOf(
	"", "really", "seriously", "right", "ok", "okay", "huh", "what", "why", "why not", "who cares", "who knows", "you know", "you know what",
	"guess what", "deal", "agreed", "makes sense", "am i right", "see", "no", "yes", "correct", "so what", "now what", "what else is new",
	"are you kidding", "are you kidding me", "are you serious", "sounds good", "anyone", "you ok", "you there", "isn t it", "don t you think",
	"how are you", "how are you all", "how are you doing", "how s it going", "how is it going", "what s up", "how was your weekend", "how do you do",
	"what could possibly go wrong", "what could go wrong", "remember", "lunch anyone",
	"wie geht s", "wie geht es dir", "wie geht es euch", "alles klar", "echt", "wirklich", "oder", "nicht wahr", "gell", "wie bitte", "na und",
	"ça va", "comment ça va", "n est ce pas", "vraiment", "non", "qué tal", "cómo estás", "verdad", "en serio", "come va", "come stai", "davvero",
	"tudo bem", "né", "как дела", "правда", "да", "你好吗", "真的吗", "好吗", "是吗", "お元気ですか", "本当ですか", "잘 지내세요",
)

// figures begin questions that are exclamations.
var figures = []string{"how cool is", "how great is", "how awesome is", "how amazing is", "how crazy is", "how hard can it be",
	"isn t that great", "isn t it great", "isn t that nice", "isn t this great", "who doesn t", "who would have thought", "what s not to love", "what kind of person"}

func setOf(words ...string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}
