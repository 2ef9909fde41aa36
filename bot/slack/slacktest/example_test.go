package slacktest_test

import (
	"fmt"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/slack-go/slack"
)

func Example() {
	srv, err := slacktest.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	srv.AddUser(slacktest.User{ID: "U1", Name: "ann"})
	srv.AddChannel(slacktest.Channel{ID: "C1", Name: "general", Members: []string{"U1", slacktest.BotUser}})

	question := srv.Mention("C1", "U1", "how many days of leave?")
	client := slack.New(slacktest.BotToken, slack.OptionAPIURL(srv.URL()))
	_, ts, err := client.PostMessage("C1", slack.MsgOptionTS(question), slack.MsgOptionText("30 days. [1]", false))
	if err != nil {
		fmt.Println(err)
		return
	}
	srv.React("C1", ts, "U1", "+1")
	fmt.Print(srv.Dump())
	// Output:
	// == #general
	// t1 ann:
	//     <@UBOT> how many days of leave?
	//   t2 footnote:
	//       30 days. [1]
	//       :+1: ann
}
