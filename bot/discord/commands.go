package discord

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/bwmarrin/discordgo"
)

// Names of commands and options. They travel to Discord and back.
const (
	commandAsk      = "ask"
	commandFootnote = "footnote"
	commandNew      = "new"
	commandAbout    = "Ask about this message"
	commandSum      = "Summarise this thread"

	optQuestion   = "question"
	optShow       = "show"
	optAgent      = "agent"
	optCollection = "collection"
)

// spoken is a name and a description in the languages that are offered, in the
// order of locales.
type spoken struct{ names, texts [5]string }

var locales = [5]discordgo.Locale{discordgo.German, discordgo.French, discordgo.SpanishES, discordgo.Japanese, discordgo.ChineseCN}

func localised(words [5]string) map[discordgo.Locale]string {
	out := map[discordgo.Locale]string{}
	for i, w := range words {
		if w != "" {
			out[locales[i]] = w
		}
	}
	return out
}

// translations are by the name of a command, or command and option.
var translations = map[string]spoken{
	commandAsk: {
		[5]string{"fragen", "demander", "preguntar", "質問", "提问"},
		[5]string{"Aus den Quellen des Teams antworten, nur für dich", "Répondre à partir des sources de l'équipe, pour vous seul", "Responder con las fuentes del equipo, solo para ti", "チームの資料から、あなただけに回答します", "根据团队资料回答，仅您可见"}},
	"ask question": {
		[5]string{"frage", "question", "pregunta", "質問文", "问题"},
		[5]string{"Was du wissen willst", "Ce que vous voulez savoir", "Lo que quieres saber", "知りたいこと", "您想知道什么"}},
	"ask show": {
		[5]string{"zeigen", "montrer", "mostrar", "公開", "公开"},
		[5]string{"Alle im Kanal sehen die Antwort", "Tout le salon voit la réponse", "Todo el canal ve la respuesta", "チャンネルの全員に見せる", "频道中所有人可见"}},
	"ask agent": {
		[5]string{"agent", "agent", "agente", "エージェント", "助手"},
		[5]string{"Wer antwortet", "Qui répond", "Quién responde", "回答するエージェント", "由谁回答"}},
	"ask collection": {
		[5]string{"sammlung", "collection", "colección", "コレクション", "文档集"},
		[5]string{"Wo gesucht wird", "Où chercher", "Dónde buscar", "検索する範囲", "搜索范围"}},
	commandNew: {
		[5]string{"neu", "nouveau", "nuevo", "新規", "新对话"},
		[5]string{"Ein neues Gespräch beginnen", "Commencer une nouvelle conversation", "Empezar otra conversación", "新しい会話を始めます", "开始新的对话"}},
	commandAbout: {
		names: [5]string{"Zu dieser Nachricht fragen", "Demander sur ce message", "Preguntar sobre este mensaje", "このメッセージについて質問", "就此消息提问"}},
	commandSum: {
		names: [5]string{"Diesen Thread zusammenfassen", "Résumer ce fil", "Resumir este hilo", "このスレッドを要約", "总结此讨论串"}},
	commandFootnote: {
		texts: [5]string{"Einstellungen und Hilfe", "Réglages et aide", "Ajustes y ayuda", "設定とヘルプ", "设置与帮助"}},
	"footnote status":  {texts: [5]string{"Quellen und Modell", "Sources et modèle", "Fuentes y modelo", "資料とモデルの状態", "资料与模型状态"}},
	"footnote sources": {texts: [5]string{"Was hier durchsucht wird", "Ce qui est cherché ici", "Qué se busca aquí", "ここで検索される資料", "此处搜索的资料"}},
	"footnote whoami":  {texts: [5]string{"Was ich über dich weiß", "Ce que je sais de vous", "Qué sé de ti", "あなたについて知っていること", "我对您的了解"}},
	"footnote link":    {texts: [5]string{"Dieses Konto mit dir verbinden", "Relier ce compte à vous", "Vincular esta cuenta contigo", "このアカウントをあなたに結び付けます", "将此账号与您关联"}},
	"footnote config":  {texts: [5]string{"Einstellungen dieses Kanals", "Réglages de ce salon", "Ajustes de este canal", "このチャンネルの設定", "此频道的设置"}},
	"footnote enable":  {texts: [5]string{"Hier antworten", "Répondre ici", "Responder aquí", "ここで回答します", "在此处回答"}},
	"footnote disable": {texts: [5]string{"Hier nicht antworten", "Ne pas répondre ici", "No responder aquí", "ここでは回答しません", "不在此处回答"}},
	"footnote setup":   {texts: [5]string{"Diesen Server einrichten", "Configurer ce serveur", "Configurar este servidor", "このサーバーを設定します", "设置此服务器"}},
	"footnote doctor":  {texts: [5]string{"Die Einrichtung prüfen", "Vérifier la configuration", "Revisar la configuración", "設定を確認します", "检查设置"}},
	"footnote help":    {texts: [5]string{"Was ich kann", "Ce que je sais faire", "Qué puedo hacer", "できること", "我能做什么"}},
}

// definitions are the commands of the application.
func definitions() []*discordgo.ApplicationCommand {
	everywhere := []discordgo.InteractionContextType{discordgo.InteractionContextGuild, discordgo.InteractionContextBotDM}
	alone := []discordgo.InteractionContextType{discordgo.InteractionContextBotDM}
	installed := []discordgo.ApplicationIntegrationType{discordgo.ApplicationIntegrationGuildInstall}
	command := func(name, text string, where []discordgo.InteractionContextType, options ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommand {
		c := &discordgo.ApplicationCommand{
			Type: discordgo.ChatApplicationCommand, Name: name, Description: text, Contexts: &where, IntegrationTypes: &installed, Options: options,
		}
		c.NameLocalizations, c.DescriptionLocalizations = translated(name)
		for _, o := range options {
			translate(name, o)
		}
		return c
	}
	about, sum := command(commandAbout, "", everywhere), command(commandSum, "", everywhere)
	about.Type, sum.Type = discordgo.MessageApplicationCommand, discordgo.MessageApplicationCommand
	return []*discordgo.ApplicationCommand{
		command(commandAsk, "Answer from the team's sources, for you alone", everywhere,
			&discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionString, Name: optQuestion, Description: "What you want to know", Required: true, MaxLength: 4000},
			&discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionBoolean, Name: optShow, Description: "Everybody in the channel sees the answer"},
			&discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionString, Name: optAgent, Description: "Who answers", Autocomplete: true},
			&discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionString, Name: optCollection, Description: "Where to search", Autocomplete: true},
		),
		command(commandFootnote, "Settings and help", everywhere, subcommands()...),
		command(commandNew, "Begin another conversation", alone),
		about, sum,
	}
}

func subcommands() []*discordgo.ApplicationCommandOption {
	text := func(name, hint string, required bool) *discordgo.ApplicationCommandOption {
		return &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionString, Name: name, Description: hint, Required: required, MaxLength: 200}
	}
	sub := func(name, hint string, options ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
		return &discordgo.ApplicationCommandOption{Type: discordgo.ApplicationCommandOptionSubCommand, Name: name, Description: hint, Options: options}
	}
	mode := text("mode", "Which messages are answered", false)
	mode.MaxLength = 0
	for _, m := range []string{"mention", "questions", "all"} {
		mode.Choices = append(mode.Choices, &discordgo.ApplicationCommandOptionChoice{Name: m, Value: m})
	}
	return []*discordgo.ApplicationCommandOption{
		sub("status", "Sources and model"),
		sub("sources", "What is searched here"),
		sub("whoami", "What I know of you"),
		sub("link", "Bind this account to you", text("code", "From who runs Footnote", true)),
		sub("config", "Settings of this channel", text("key", "What to change; nothing shows all", false), text("value", "To what", false)),
		sub("enable", "Answer here", mode),
		sub("disable", "Do not answer here"),
		sub("setup", "Set this server up"),
		sub("doctor", "Check the set-up"),
		sub("help", "What I can do"),
	}
}

// translated are the names and descriptions of a command; nil where there are
// none.
func translated(key string) (names, texts *map[discordgo.Locale]string) {
	t := translations[key]
	if n := localised(t.names); len(n) > 0 {
		names = &n
	}
	if d := localised(t.texts); len(d) > 0 {
		texts = &d
	}
	return names, texts
}

func translate(command string, o *discordgo.ApplicationCommandOption) {
	names, texts := translated(command + " " + o.Name)
	if names != nil {
		o.NameLocalizations = *names
	}
	if texts != nil {
		o.DescriptionLocalizations = *texts
	}
}

// commandHash changes whenever a command does.
func commandHash(list []*discordgo.ApplicationCommand) (string, error) {
	raw, err := json.Marshal(list) // maps are written in the order of their keys
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:12]), err
}
