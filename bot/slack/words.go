package slack

import (
	"fmt"
	"strings"
)

// say is a sentence of ours in the language of a locale such as de-DE: the key is
// the sentence in English, which also stands where there is no translation.
func say(locale, english string, args ...any) string {
	text := english
	if t, ok := words[english]; ok {
		switch language, _, _ := strings.Cut(strings.ToLower(locale), "-"); language {
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

// say is a sentence of ours for the person.
func (p person) say(english string, args ...any) string { return say(p.locale, english, args...) }

// words are the sentences that people see in channels and conversations, on the
// home tab and from /footnote. What only those see who look after the bot, such as
// settings and checks, is in English.
var words = map[string]struct{ de, zh string }{
	// while a question is being answered
	"is thinking…":              {"denkt nach …", "正在思考…"},
	"is writing…":               {"schreibt …", "正在撰写…"},
	"is waiting for its turn…":  {"wartet, bis andere Fragen beantwortet sind …", "正在排队…"},
	"is searching the sources…": {"durchsucht die Quellen …", "正在检索资料…"},
	"is searching %s…":          {"durchsucht %s …", "正在检索%s…"},
	"is reading what was found…": {
		"liest, was gefunden wurde …", "正在阅读检索结果…"},
	"is reading %s…":         {"liest %s …", "正在阅读%s…"},
	"Looking for an answer…": {"Ich suche eine Antwort …", "正在查找答案…"},
	"Stop":                   {"Anhalten", "停止"},

	// the answer
	"*Sources*":             {"*Quellen*", "*来源*"},
	"source %d":             {"Quelle %d", "来源 %d"},
	", page %d":             {", Seite %d", "，第 %d 页"},
	"updated today":         {"heute geändert", "今天更新"},
	"updated yesterday":     {"gestern geändert", "昨天更新"},
	"updated %d days ago":   {"vor %d Tagen geändert", "%d 天前更新"},
	"updated %d weeks ago":  {"vor %d Wochen geändert", "%d 周前更新"},
	"updated %d months ago": {"vor %d Monaten geändert", "%d 个月前更新"},
	"updated %d years ago":  {"vor %d Jahren geändert", "%d 年前更新"},
	"… and %d more":         {"… und %d weitere", "……另有 %d 条"},
	"Sources":               {"Quellen", "来源"},
	"Hide":                  {"Verbergen", "隐藏"},
	"Undo":                  {"Rückgängig", "撤销"},
	"%s is no longer found or shown to anybody.": {"%s wird niemandem mehr gezeigt oder gefunden.", "%s 将不再被任何人检索或看到。"},
	"%s can be found again.":                     {"%s kann wieder gefunden werden.", "%s 可以再次被检索到。"},
	"All %d sources":                             {"Alle %d Quellen", "全部 %d 条来源"},
	"Good answer":                                {"Gute Antwort", "回答得好"},
	"Bad answer":                                 {"Schlechte Antwort", "回答不好"},
	"Full answer":                                {"Ausführliche Antwort", "完整回答"},
	"Ask again":                                  {"Erneut fragen", "重新提问"},
	"Regenerate":                                 {"Neu beantworten", "重新回答"},
	"Share here":                                 {"Hier teilen", "分享到这里"},
	"I need a human":                             {"Ich brauche einen Menschen", "我需要人工帮助"},
	"Request id:":                                {"Vorgangsnummer:", "请求编号："},
	"Stopped before there was an answer.": {
		"Angehalten, bevor es eine Antwort gab.", "在得到答案之前已停止。"},
	"I have no answer to this.": {"Darauf habe ich keine Antwort.", "我没有这个问题的答案。"},
	"Stopped here.":             {"Hier angehalten.", "到此停止。"},
	"The answer is long: all of it is in the file %s.": {
		"Die Antwort ist lang: Vollständig steht sie in der Datei %s.", "回答较长，全文见文件 %s。"},
	"The whole answer": {"Die ganze Antwort", "完整回答"},
	"I did not read %s.": {
		"Nicht gelesen habe ich: %s.", "我没有读取：%s。"},

	// why there is none
	"There are many questions here at the moment. The next one can be asked in %s.": {
		"Hier gibt es gerade viele Fragen. Die nächste kann in %s gestellt werden.", "这里目前问题较多，请在 %s 后再提问。"},
	"You asked many questions in a short time. You can ask the next one in %s.": {
		"Du hast in kurzer Zeit viele Fragen gestellt. Die nächste kannst du in %s stellen.", "您在短时间内提了很多问题，请在 %s 后再提问。"},
	"Footnote is stopping; ask again in a minute.": {
		"Footnote wird gerade beendet; frage in einer Minute noch einmal.", "Footnote 正在停止，请稍后再问。"},
	"I was interrupted before this was complete. Please ask again.": {
		"Ich wurde unterbrochen, bevor das fertig war. Bitte frage noch einmal.", "回答尚未完成就被中断了，请重新提问。"},
	"More people can read this place than when I began, so I did not post the answer. Please ask again.": {
		"Hier können jetzt mehr Leute mitlesen als zu Beginn, deshalb habe ich die Antwort nicht gezeigt. Bitte frage noch einmal.",
		"现在能看到这里的人比开始时更多，因此我没有发布回答。请重新提问。"},
	"Who may ask me here is limited, and you are not among them. Ask who runs Footnote.": {
		"Wer mich hier fragen darf, ist begrenzt, und du gehörst nicht dazu. Frage, wer Footnote betreibt.",
		"这里限制了可以提问的人，您不在其中。请询问 Footnote 的管理者。"},
	"Only answers that show a source are posted in this channel, so I did not share it.": {
		"In diesem Kanal stehen nur Antworten, die eine Quelle zeigen, deshalb habe ich sie nicht geteilt.",
		"此频道只发布显示来源的回答，因此我没有分享。"},
	"I found nothing in the sources that answers this, and here I only post answers with a source.": {
		"Dazu habe ich in den Quellen nichts gefunden, und hier zeige ich nur Antworten mit Quelle.",
		"我在资料中没有找到答案，而这里只发布附有来源的回答。"},
	"This was taken back.": {"Das wurde zurückgenommen.", "此内容已撤回。"},
	"I could not post this where you asked it, so here it is.": {
		"Ich konnte das dort, wo du gefragt hast, nicht zeigen. Hier ist es.", "我无法在您提问的地方发布，因此发到这里。"},

	// talking to the bot
	hintText: {
		"Stelle mir nach meinem Namen eine Frage, zum Beispiel: *wo steht die Reiserichtlinie?* Mit `/ask` fragst du privat, `/footnote help` sagt mehr.",
		"请在我的名字后面提问，例如：*差旅政策在哪里？* 用 `/ask` 可以私下提问，`/footnote help` 有更多说明。"},
	askText: {
		"Frage so: `/ask wo steht die Reiserichtlinie?` Nur du siehst die Antwort; mit `/ask --show …` sehen sie alle hier.",
		"请这样提问：`/ask 差旅政策在哪里？` 只有您能看到回答；用 `/ask --show …` 则这里所有人都能看到。"},
	"I cannot post in this channel. Invite me with `/invite`, or ask without `--show`.": {
		"Ich kann in diesem Kanal nichts schreiben. Lade mich mit `/invite` ein oder frage ohne `--show`.",
		"我无法在此频道发言。请用 `/invite` 邀请我，或不加 `--show` 提问。"},
	"I answer in the channel.": {"Ich antworte im Kanal.", "我会在频道里回答。"},
	"%s asks:":                 {"%s fragt:", "%s 提问："},
	"Somebody":                 {"Jemand", "有人"},
	"Only who asked, or who manages the channel, can stop that answer.": {
		"Nur wer gefragt hat oder den Kanal verwaltet, kann diese Antwort anhalten.", "只有提问者或频道管理者可以停止该回答。"},
	"I could not note that. Please say it again in a minute.": {
		"Das konnte ich mir nicht merken. Bitte sage es in einer Minute noch einmal.", "我没能记录下来，请稍后再说一次。"},
	"I will be quiet in this thread until somebody mentions me.": {
		"Ich bin in diesem Thread still, bis mich jemand erwähnt.", "在有人提及我之前，我不会再在此消息列中发言。"},
	"There is nothing to stop.": {"Es gibt nichts anzuhalten.", "没有可停止的回答。"},

	// buttons
	"I no longer know that answer. Please ask again.": {
		"Diese Antwort kenne ich nicht mehr. Bitte frage noch einmal.", "我已找不到该回答，请重新提问。"},
	"I no longer know that question. Please ask again.": {
		"Diese Frage kenne ich nicht mehr. Bitte frage noch einmal.", "我已找不到该问题，请重新提问。"},
	"Only who asked can have it answered again.": {
		"Nur wer gefragt hat, kann neu antworten lassen.", "只有提问者可以要求重新回答。"},
	"Only who asked can have it answered privately.": {
		"Nur wer gefragt hat, kann privat antworten lassen.", "只有提问者可以要求私下回答。"},
	"Only who asked can ask it here.":          {"Nur wer gefragt hat, kann das hier fragen.", "只有提问者可以在这里提问。"},
	"Only who asked can share it.":             {"Nur wer gefragt hat, kann das teilen.", "只有提问者可以分享。"},
	"Only who asked can call somebody for it.": {"Nur wer gefragt hat, kann jemanden dazu rufen.", "只有提问者可以请求人工帮助。"},
	"The list can no longer be shown here.":    {"Die Liste kann hier nicht mehr gezeigt werden.", "此处已无法显示该列表。"},
	"Thank you, noted.":                        {"Danke, notiert.", "谢谢，已记录。"},
	"Answer privately with my access":          {"Privat mit meinem Zugriff antworten", "用我的权限私下回答"},
	"Ask it here instead":                      {"Stattdessen hier fragen", "改为在这里提问"},
	"%s shares an answer to:":                  {"%s teilt eine Antwort auf:", "%s 分享了以下问题的回答："},
	"I cannot post in this channel. Invite me with `/invite`, then share again.": {
		"Ich kann in diesem Kanal nichts schreiben. Lade mich mit `/invite` ein und teile dann noch einmal.",
		"我无法在此频道发言。请用 `/invite` 邀请我，然后再次分享。"},

	// forms
	"What was wrong or missing?": {"Was war falsch oder hat gefehlt?", "哪里有误或缺失？"},
	"Reason":                     {"Grund", "原因"},
	"Thank you":                  {"Danke", "谢谢"},
	"Send":                       {"Senden", "发送"},
	"Skip":                       {"Überspringen", "跳过"},
	"What do our sources say about this?": {
		"Was sagen unsere Quellen dazu?", "我们的资料对此有何说明？"},
	"What do our sources say about this message?": {
		"Was sagen unsere Quellen zu dieser Nachricht?", "我们的资料对这条消息有何说明？"},
	"Your question":            {"Deine Frage", "您的问题"},
	"Answer with sources":      {"Mit Quellen antworten", "附来源回答"},
	"Summarise the thread":     {"Den Thread zusammenfassen", "总结此消息列"},
	"Ask about a message":      {"Zu einer Nachricht fragen", "询问一条消息"},
	"Ask":                      {"Fragen", "提问"},
	"Cancel":                   {"Abbrechen", "取消"},
	"What to do":               {"Was tun", "操作"},
	"Only you see the answer.": {"Nur du siehst die Antwort.", "只有您能看到回答。"},
	"The form could not be opened. Please try again.": {
		"Das Formular ließ sich nicht öffnen. Bitte versuche es noch einmal.", "无法打开表单，请重试。"},
	"I no longer know which message the form was about. Please open it again.": {
		"Ich weiß nicht mehr, um welche Nachricht es ging. Bitte öffne das Formular noch einmal.", "我已不知道表单对应哪条消息，请重新打开。"},

	// /footnote and the home tab
	helpWords: {
		"**Was ich hier tue**\n" +
			"- Erwähne mich oder schreibe mir direkt, mit einer Frage: Ich antworte aus den Quellen des Teams und sage, aus welchen\n" +
			"- `/ask …` antwortet nur dir, `/ask --show …` allen im Kanal\n" +
			"- *Ask about this message* steht im Menü jeder Nachricht\n" +
			"- in einem Thread, der mit mir begann, musst du mich nicht noch einmal erwähnen; *stop* macht mich still\n" +
			"- `in:wiki`, `since:2026-05-01`, *#kanal* und *from @person* in einer Frage schränken ein, wo gesucht wird\n\n" +
			"**/footnote**\n" +
			"- `status` Quellen und Modell; `sources` was hier durchsucht wird; `whoami` was ich von dir weiß\n" +
			"- `config` die Einstellungen hier; `config SCHLÜSSEL WERT`, `enable [mention|questions|all]`, `disable` ändern sie\n" +
			"- `link CODE` verbindet dieses Konto mit dir; `doctor` prüft die Einrichtung",
		"**我在这里做什么**\n" +
			"- 提及我或私信我并提出问题：我根据团队的资料回答并注明出处\n" +
			"- `/ask …` 只回答您；`/ask --show …` 回答频道中的所有人\n" +
			"- 每条消息的菜单中都有 *Ask about this message*\n" +
			"- 在由我开始的消息列中无需再次提及我；*stop* 让我安静\n" +
			"- 问题中的 `in:wiki`、`since:2026-05-01`、*#频道* 和 *from @某人* 会缩小检索范围\n\n" +
			"**/footnote**\n" +
			"- `status` 资料与模型；`sources` 此处检索的内容；`whoami` 我对您的了解\n" +
			"- `config` 此处的设置；`config 键 值`、`enable [mention|questions|all]`、`disable` 用于更改\n" +
			"- `link CODE` 将此账号与您绑定；`doctor` 检查设置"},
	noAdmin: {"Das ist hier nicht eingerichtet. Frage, wer Footnote betreibt.", "此处未设置该功能。请询问 Footnote 的管理者。"},
	strangerText: {
		"Ich weiß nicht, welche Person du bist, deshalb bekommst du, was alle wissen dürfen. Bitte um einen Code, wer Footnote betreibt, und tippe `/footnote link CODE`.",
		"我不知道您是谁，因此您只能得到人人可知的内容。请向 Footnote 的管理者索取代码，然后输入 `/footnote link CODE`。"},
	"To me you are **%s**":       {"Für mich bist du **%s**", "对我来说您是 **%s**"},
	"(a full member).":           {"(volles Mitglied).", "（正式成员）。"},
	"(a guest).":                 {"(Gast).", "（访客）。"},
	"(of another organisation).": {"(aus einer anderen Organisation).", "（来自其他组织）。"},
	"(a bot).":                   {"(ein Bot).", "（机器人）。"},
	"(deactivated).":             {"(deaktiviert).", "（已停用）。"},
	"(not known).":               {"(nicht bekannt).", "（未知）。"},
	"I know you as %s.":          {"Ich kenne dich als %s.", "我知道您是 %s。"},
	"**Status**":                 {"**Stand**", "**状态**"},
	"There is nothing to tell.":  {"Es gibt nichts zu berichten.", "没有可报告的内容。"},
	"**Searched in this channel**": {
		"**In diesem Kanal wird durchsucht**", "**此频道检索的内容**"},
	"Nothing is searched here.": {"Hier wird nichts durchsucht.", "此处不检索任何内容。"},
	"Ask who runs Footnote for a code, and type `/footnote link CODE`.": {
		"Bitte um einen Code, wer Footnote betreibt, und tippe `/footnote link CODE`.", "请向 Footnote 的管理者索取代码，然后输入 `/footnote link CODE`。"},
	"This account is now %s to me.": {"Dieses Konto ist für mich jetzt %s.", "对我来说，此账号现在是 %s。"},
	"Write to me under *Messages*, mention me in a channel, or use `/ask`. I answer from the team's sources and say which.": {
		"Schreibe mir unter *Nachrichten*, erwähne mich in einem Kanal oder nimm `/ask`. Ich antworte aus den Quellen des Teams und sage, aus welchen.",
		"在 *消息* 中给我写信，在频道中提及我，或使用 `/ask`。我根据团队的资料回答并注明出处。"},
	"*Your questions*": {"*Deine Fragen*", "*您的问题*"},
	"*You can search*": {"*Du kannst durchsuchen*", "*您可以检索*"},

	// help by people
	"A person was called for this already.": {"Dazu wurde schon jemand gerufen.", "已经有人被请来处理此问题。"},
	"Nobody is set up to help here, or the group cannot be read. Ask who manages the channel.": {
		"Hier ist niemand als Hilfe eingetragen, oder die Gruppe lässt sich nicht lesen. Frage, wer den Kanal verwaltet.",
		"这里没有设置帮助人员，或无法读取该群组。请询问频道管理者。"},
	"I wrote to %d people who may know. They will answer you directly.": {
		"Ich habe %d Personen geschrieben, die es wissen könnten. Sie antworten dir direkt.", "我已联系 %d 位可能知道的人，他们会直接回复您。"},
	"I wrote to a person who may know. They will answer you directly.": {
		"Ich habe jemandem geschrieben, der es wissen könnte. Die Antwort kommt direkt.", "我已联系一位可能知道的人，对方会直接回复您。"},
	"%s would like a person to answer:":    {"%s wünscht sich eine Antwort von einem Menschen:", "%s 希望由人来回答："},
	"Open the thread":                      {"Thread öffnen", "打开消息列"},
	"Resolved":                             {"Erledigt", "已解决"},
	"This was resolved already.":           {"Das ist schon erledigt.", "此问题已解决。"},
	"Noted: resolved after %s.":            {"Notiert: erledigt nach %s.", "已记录：用时 %s 解决。"},
	"%s marked your question as resolved.": {"%s hat deine Frage als erledigt markiert.", "%s 已将您的问题标记为已解决。"},
}
