package discord

import (
	"fmt"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// say is a sentence of ours in the language that the person has set, such as de: the
// key is the sentence in English, which also stands where there is no translation.
func (i interaction) say(english string, args ...any) string {
	text := english
	if t, ok := words[english]; ok {
		switch language, _, _ := strings.Cut(strings.ToLower(i.Locale), "-"); language {
		case "de":
			text = t.de
		case "zh":
			text = t.zh
		}
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// classWords are what accounts are, for people.
var classWords = map[core.AccountClass]string{
	core.AccountMember: "(a member of this server).", core.AccountExternal: "(a member of no server of mine).", core.AccountBot: "(a bot).",
	core.AccountUnknown: "(not known).", core.AccountGuest: "(a guest).", core.AccountDeactivated: "(deactivated).",
}

const (
	memberElsewhere = "(a member of a server of mine)."
	strangerText    = "I do not know which person you are, so you get what everybody may know. Who runs Footnote can make a code for you: `/footnote link`."
	helpWords       = "**What I do here**\n" +
		"- mention me, reply to me or write to me directly, with a question: I answer from the team's sources and say which\n" +
		"- `/ask` answers only you, or everybody with *show*\n" +
		"- *Apps → Ask about this message* and *Summarise this thread* are in the menu of each message\n" +
		"- *stop* makes me quiet; in direct messages `/new` begins another conversation\n" +
		"- `in:wiki`, `since:2026-05-01`, *#channel* and *from @person* in a question narrow what is searched\n\n" +
		"**/footnote**\n" +
		"- `status` sources and model; `sources` what is searched here; `whoami` what I know of you; `link` binds this account to you\n" +
		"- `config`, `enable`, `disable` settings here; `setup` binds this server; `doctor` checks it"
)

// words are what /footnote says to everybody. What only those see who manage the
// server is in English, as are answers' own notices.
var words = map[string]struct{ de, zh string }{
	helpWords: {
		"**Was ich hier tue**\n" +
			"- Erwähne mich, antworte mir oder schreibe mir direkt, mit einer Frage: Ich antworte aus den Quellen des Teams und sage, aus welchen\n" +
			"- `/ask` antwortet nur dir, mit *show* allen\n" +
			"- *Apps → Ask about this message* und *Summarise this thread* stehen im Menü jeder Nachricht\n" +
			"- *stop* macht mich still; in Direktnachrichten beginnt `/new` ein neues Gespräch\n" +
			"- `in:wiki`, `since:2026-05-01`, *#kanal* und *from @person* in einer Frage schränken ein, wo gesucht wird\n\n" +
			"**/footnote**\n" +
			"- `status` Quellen und Modell; `sources` was hier durchsucht wird; `whoami` was ich von dir weiß; `link` verbindet dieses Konto mit dir\n" +
			"- `config`, `enable`, `disable` Einstellungen hier; `setup` bindet diesen Server; `doctor` prüft ihn",
		"**我在这里做什么**\n" +
			"- 提及我、回复我或私信我并提出问题：我根据团队的资料回答并注明出处\n" +
			"- `/ask` 只回答您；加上 *show* 则回答所有人\n" +
			"- 每条消息的菜单中都有 *Apps → Ask about this message* 和 *Summarise this thread*\n" +
			"- *stop* 让我安静；在私信中用 `/new` 开始新的对话\n" +
			"- 问题中的 `in:wiki`、`since:2026-05-01`、*#频道* 和 *from @某人* 会缩小检索范围\n\n" +
			"**/footnote**\n" +
			"- `status` 资料与模型；`sources` 此处检索的内容；`whoami` 我对您的了解；`link` 将此账号与您绑定\n" +
			"- `config`、`enable`、`disable` 此处的设置；`setup` 绑定此服务器；`doctor` 检查它"},
	noAdmin: {"Das ist hier nicht eingerichtet. Frage, wer Footnote betreibt.", "此处未设置该功能。请询问 Footnote 的管理者。"},
	strangerText: {
		"Ich weiß nicht, welche Person du bist, deshalb bekommst du, was alle wissen dürfen. Wer Footnote betreibt, kann dir einen Code machen: `/footnote link`.",
		"我不知道您是谁，因此您只能得到人人可知的内容。Footnote 的管理者可以为您生成代码：`/footnote link`。"},
	"To me you are **%s**":             {"Für mich bist du **%s**", "对我来说您是 **%s**"},
	"(a member of this server).":       {"(Mitglied dieses Servers).", "（此服务器的成员）。"},
	"(a member of no server of mine).": {"(Mitglied keines meiner Server).", "（不是我任何服务器的成员）。"},
	memberElsewhere:                    {"(Mitglied eines meiner Server).", "（我某个服务器的成员）。"},
	"(a bot).":                         {"(ein Bot).", "（机器人）。"},
	"(not known).":                     {"(nicht bekannt).", "（未知）。"},
	"(a guest).":                       {"(Gast).", "（访客）。"},
	"(deactivated).":                   {"(deaktiviert).", "（已停用）。"},
	"I know you as %s.":                {"Ich kenne dich als %s.", "我知道您是 %s。"},
	"**Status**":                       {"**Stand**", "**状态**"},
	"There is nothing to tell.":        {"Es gibt nichts zu berichten.", "没有可报告的内容。"},
	"**Searched in this channel**":     {"**In diesem Kanal wird durchsucht**", "**此频道检索的内容**"},
	"Nothing is searched here.":        {"Hier wird nichts durchsucht.", "此处不检索任何内容。"},
	"Ask who runs Footnote for a code, and give it to `/footnote link`.": {
		"Bitte um einen Code, wer Footnote betreibt, und gib ihn `/footnote link`.", "请向 Footnote 的管理者索取代码，并交给 `/footnote link`。"},
	"I can link members of servers that I am set up for. Use this in such a server.": {
		"Verbinden kann ich Mitglieder von Servern, für die ich eingerichtet bin. Nutze das auf so einem Server.",
		"我只能绑定已为我设置好的服务器的成员。请在这样的服务器中使用。"},
	"This account is now %s to me.": {"Dieses Konto ist für mich jetzt %s.", "对我来说，此账号现在是 %s。"},
}
