package slacktest

import (
	"strings"
	"testing"

	"github.com/slack-go/slack"
)

func TestPageShowsWhatOnePersonSees(t *testing.T) {
	srv := New(t)
	srv.AddUser(User{ID: "U1", Name: "ann"})
	srv.AddUser(User{ID: "U2", Name: "bob"})
	srv.AddChannel(Channel{ID: "C1", Name: "general", Members: []string{"U1", "U2", BotUser}})
	srv.Message("C1", "U1", "is &lt;b&gt; *bold* in `a_b_c`? <@U2> see <https://example.com/?a=1&amp;b=2|this>\n&gt; quoted")
	srv.Delete("C1", srv.Message("C1", "U2", "taken back"))
	client := slack.New(BotToken, slack.OptionAPIURL(srv.URL()))
	block := slack.NewSectionBlock(slack.NewTextBlockObject("mrkdwn", "for ann & nobody else", false, false), nil, nil)
	if _, err := client.PostEphemeral("C1", "U1", slack.MsgOptionText("x", false), slack.MsgOptionBlocks(block)); err != nil {
		t.Fatal(err)
	}
	ann, bob := srv.Page(Look{Channel: "C1", Viewer: "U1"}), srv.Page(Look{Channel: "C1", Viewer: "U2"})
	for _, want := range []string{
		"&lt;b&gt;", "<b>bold</b>", "<code>a_b_c</code>", `<span class="mention">@bob</span>`,
		`<a href="https://example.com/?a=1&amp;b=2">this</a>`, "<blockquote>quoted", "for ann", "Only visible to you",
	} {
		if !strings.Contains(ann, want) {
			t.Errorf("the page lacks %q:\n%s", want, ann)
		}
	}
	if strings.Contains(bob, "for ann") || strings.Contains(bob, "taken back") || strings.Contains(bob, "<b> ") {
		t.Errorf("bob sees too much:\n%s", bob)
	}
}
