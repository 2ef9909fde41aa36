package bot

import "testing"

func TestIsQuestion(t *testing.T) {
	for _, text := range []string{
		"How do I reset my VPN password?", "how do i reset my vpn password", "where is the travel policy", "Where can I find the logo",
		"when does the canteen open", "what time does the canteen open", "which version is deployed on staging", "whose laptop is this on the desk",
		"who owns the billing service", "Who can approve an expense of 300", "why does the build fail on main", "how much can I spend on a hotel is it capped",
		"how to rotate the signing key", "can someone restart the staging database", "does anyone know the guest wifi password", "is the VPN down again",
		"are there any parking spots left", "has anyone seen the release notes", "should we update the handbook first", "any idea what broke the deploy",
		"Hi all, quick one: where do I file sick leave?", "The deploy failed. Does somebody know why?", "Is `restore --latest` safe on the standby?",
		"What does \"level minus two\" mean?", "Have you read https://example.com/a?", "see https://example.com/x?y=1 – is that the current one?",
		"Bist du sicher, dass das stimmt?", "Wie viele Urlaubstage habe ich", "wo finde ich die Reisekostenrichtlinie", "Wer ist für das Lager zuständig",
		"gibt es eine Vorlage für Angebote", "weiß jemand wann das Büro öffnet", "was ist der Code fürs Tor",
		"Où est la salle de réunion ?", "Où est la salle de réunion\u202f?", "comment faire une note de frais", "pourquoi le VPN ne marche pas", "combien de jours de congé ai-je", "est-ce que le bureau est ouvert lundi",
		"¿Dónde está la impresora?", "cómo puedo cambiar mi contraseña", "alguien sabe dónde está la sala", "¿cuál es el horario de verano",
		"Come si richiede un giorno di ferie?", "come faccio a cambiare la password", "dove trovo il modulo ferie",
		"Onde fica o estacionamento?", "como faço para pedir férias", "Hoe kan ik mijn wachtwoord wijzigen", "waar vind ik het formulier",
		"Czy biuro jest jutro otwarte", "Gdzie jest drukarka?", "hur gör jag för att boka rum",
		"Где найти правила отпуска", "как сбросить пароль от почты", "есть ли свободные места на парковке", "Кто-нибудь знает пароль?", "можно ли работать из дома",
		"Πού είναι το εκτυπωτής;", "Πώς αλλάζω τον κωδικό\u037e", "Ո՞վ է պատասխանատու", "هل المكتب مفتوح يوم الأحد", "أين أجد سياسة السفر؟", "چگونه رمز خود را عوض کنم",
		"איפה נמצא הטופס?", "איך מאפסים את הסיסמה", "क्या कार्यालय कल खुला है", "पासवर्ड कैसे बदलें?",
		"密码怎么重置呢", "怎么重置密码", "请问会议室在哪", "这个版本发布了吗", "密码怎么重置？", "有人知道怎么连接VPN吗", "會議室在哪裡？",
		"パスワードはどこで変更できますか", "会議室はどこですか。", "これは何ですか？", "비밀번호를 어떻게 바꾸나요", "회의실이 어디입니까", "회의실이 어디예요?",
		"รีเซ็ตรหัสผ่านอย่างไร", "ใช้ได้ไหมครับ", "Bu sürüm yayınlandı mı", "Parola nasıl değiştirilir?", "Văn phòng ở đâu vậy?", "bagaimana cara mengganti kata sandi",
		"ቢሮው የት ነው፧", "What is this (really)?", "*Where is the form?*", "where is it??", "so what is the plan?! tell me",
	} {
		if !IsQuestion(text) {
			t.Errorf("%q is a question", text)
		}
	}
}

func TestIsNoQuestion(t *testing.T) {
	for _, text := range []string{
		"", "?", "???", "ok?", "Really?", "Huh?", "Seriously?!", "What?", "Why not?", "Lunch?", "thx", "+1",
		"Good morning everyone", "Hello team, happy Friday!", "Good morning, how are you?", "Hi! How's it going?", "Hallo zusammen, wie geht's?", "ça va ?", "¿Qué tal?", "你好吗？",
		"The deploy is done.", "I'll be late today", "Was thinking about lunch at noon", "Was out sick yesterday, back now", "Come to the kitchen, there is cake",
		"When I arrived the door was open", "When you are done, ping me", "What I did was restart the server", "Which is why we changed it", "How I fixed the VPN yesterday",
		"What a great day this is", "How nice of you all", "Who cares about that anyway", "Where there is smoke there is fire", "While we wait the build runs",
		"Have a nice day everyone", "Do the dishes please, everybody", "May the force be with you", "Who knows?", "You know what? I am done.", "Guess what? We won.",
		"How cool is that?", "Isn't that great?", "How hard can it be?", "We ship on Friday, right?", "That was easy, wasn't it, no?", "Das passt so, oder?", "On y va, non ?",
		"https://example.com/search?q=a", "see https://example.com/?page=2 for more", "<https://example.com/a?b=c>", "www.example.com/?x=1 is the page", "look at example.com?x=1 please",
		"`SELECT * FROM t WHERE a = ?`", "```\nx = y ? 1 : 2\nwhat is this?\n```", "x ? y : z is a ternary", "use `git log -p ?` there", "```\nwhere is it?",
		"> where is the form?\nIt is in the handbook.", "&gt; where is it?\ndone", "She asked \"where is the form?\" and left.", "He said “can we go?” and went.", "Er fragte „wo ist das?“ und ging.", "彼は「どこですか？」と言った。",
		"Wie besprochen schicke ich die Datei", "Wie gesagt, ich bin dran", "Wer will kann mitkommen", "Wenn ihr fertig seid, meldet euch", "Was ich sagen wollte: danke",
		"Quand je suis arrivé, c'était fermé", "Comme convenu je vous envoie le fichier", "Como dijimos ayer, lo dejamos así", "¡Qué buen día hace hoy!", "Quando arrivi chiamami al telefono",
		"Как договорились, отправляю файл", "Когда я пришёл, было закрыто", "Jak mówiłem, plik jest gotowy",
		"我不知道怎么办", "我还在想呢", "大家早上好", "会議は三時です。", "ありがとうございます", "회의는 세 시입니다", "ประชุมบ่ายสามโมงครับ", "שלום לכולם", "صباح الخير للجميع",
		"α; β", "int a; int b;", "foo(bar?.baz)", "a?b", "file-name?.txt was odd", ":thinking_face:", "Interesting... (?)",
	} {
		if IsQuestion(text) {
			t.Errorf("%q is no question", text)
		}
	}
}

// Nothing that is typed may take long or panic.
func FuzzIsQuestion(f *testing.F) {
	for _, s := range []string{"", "```", "`", "?", "“", "> ?", "\xff?", "a ? B", "ž?؟", "https://?"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { IsQuestion(text) })
}
