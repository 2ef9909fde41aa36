package prompts

import "strings"

// quotaSentences say that quotes follow because a limit of the owner's is reached,
// by whom it is for.
var quotaSentences = map[Language]map[string]string{
	English: {
		"user":    "You have reached the limit for one person. Until {until} I can only quote the documents.",
		"channel": "This place has reached its limit. Until {until} I can only quote the documents here.",
		"model":   "The language model has reached its limit. Until {until} I can only quote the documents.",
		"all":     "The limit for all questions is reached. Until {until} I can only quote the documents.",
	},
	German: {
		"user":    "Du hast das Limit für eine Person erreicht. Bis {until} kann ich nur aus den Dokumenten zitieren.",
		"channel": "Dieser Ort hat sein Limit erreicht. Bis {until} kann ich hier nur aus den Dokumenten zitieren.",
		"model":   "Das Sprachmodell hat sein Limit erreicht. Bis {until} kann ich nur aus den Dokumenten zitieren.",
		"all":     "Das Limit für alle Fragen ist erreicht. Bis {until} kann ich nur aus den Dokumenten zitieren.",
	},
	Chinese: {
		"user":    "您已达到个人使用上限。在 {until} 之前，我只能引用文档原文。",
		"channel": "此处已达到使用上限。在 {until} 之前，我在这里只能引用文档原文。",
		"model":   "语言模型已达到使用上限。在 {until} 之前，我只能引用文档原文。",
		"all":     "所有提问的总上限已用完。在 {until} 之前，我只能引用文档原文。",
	},
}

// Quota says that a limit for who (user, channel, model or all) is reached, and until
// when.
func Quota(l Language, who, until string) string {
	sentences, ok := quotaSentences[l]
	if !ok {
		sentences = quotaSentences[English]
	}
	text, ok := sentences[who]
	if !ok {
		text = sentences["all"]
	}
	return strings.ReplaceAll(text, "{until}", until)
}
