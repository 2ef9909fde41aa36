package bot

import (
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Follow is what decides whether a message without a mention, in a thread that
// has turns, is meant for the bot.
type Follow struct {
	Mode    Mode
	Started bool // the thread began with a question to the bot, or the bot began it
	Account string
	Thread  core.ThreadFacts
	Text    string
	Mention bool // of somebody else
	Now     time.Time
}

// followIdle is how long a thread may rest before a mention is needed again.
const followIdle = 24 * time.Hour

// Follows tells whether the message is a follow-up: it comes from somebody who
// already talks to the bot there, in a thread that is about that, and is not
// addressed to somebody else. "Stop" and the like end it.
func Follows(f Follow) bool {
	return f.Mode != ModeOff && f.Started && !f.Thread.Stopped && !f.Mention && f.Thread.Turns > 0 &&
		slices.Contains(f.Thread.People, f.Account) && f.Now.Sub(f.Thread.Last) <= followIdle &&
		strings.TrimSpace(f.Text) != "" && !IsThanks(f.Text) && !IsStop(f.Text)
}

// mostBotTurns is how many questions of bots are answered in a row in a thread.
const mostBotTurns = 3

// Loops tells whether bots only answer each other in the thread.
func Loops(t core.ThreadFacts) bool { return t.BotTurns >= mostBotTurns }

// IsStop tells whether a message tells the bot to be quiet.
func IsStop(text string) bool { return stops[plainWords(text)] }

var stops = setOf("stop", "stop it", "stop please", "please stop", "be quiet", "quiet", "halt", "stopp", "ruhe", "bitte stopp", "arrête", "arrêtez",
	"basta", "para", "silencio", "silenzio", "стоп", "хватит", "停", "停止", "停下", "やめて", "止めて", "그만")

// IsThanks tells whether a message only closes the talk.
func IsThanks(text string) bool { return thanks[plainWords(text)] }

var thanks = setOf("thanks", "thank you", "thx", "ty", "thanks a lot", "many thanks", "great thanks", "ok thanks", "ok", "okay",
	"cool", "great", "perfect", "nice", "got it", "danke", "danke dir", "vielen dank", "merci", "merci beaucoup", "gracias", "muchas gracias", "grazie",
	"grazie mille", "obrigado", "obrigada", "dank je", "tack", "спасибо", "спасибо большое", "谢谢", "謝謝", "ありがとう", "ありがとうございます", "감사합니다")
