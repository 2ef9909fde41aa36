package cli

import (
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// A picture that is pushed is found by what the model says of it, and where the
// model fails by its name.
func TestPicturesAreDescribed(t *testing.T) {
	t.Parallel()
	server := modeltest.Start(modeltest.Script{Replies: []modeltest.Reply{
		{Chunks: []string{"A floor plan. The lettering says: assembly", " point behind the greenhouse."}}, {Status: 400},
	}})
	t.Cleanup(server.Close)
	u := newUser(t)
	u.env["FOOTNOTE_VISION_BASE_URL"], u.env["FOOTNOTE_VISION_NAME"] = server.URL, "seeing"
	u.must("source", "add", "push", "--name", "wiki", "--access", "public")
	const picture = "\x89PNG\r\n\x1a\nnot much of a picture"
	u.write(map[string]string{"plan.png": picture, "gazebo.png": picture})
	if out := u.must("push", "wiki", "plan.png"); out != "wiki: 1 written\n" {
		t.Fatalf("pushed: %s", out)
	}
	if out := u.must("search", "greenhouse"); !strings.Contains(out, "assembly point") {
		t.Errorf("search: %s", out)
	}
	if images := server.Requests()[0].Chat.Messages[0].Images; len(images) != 1 || !strings.HasPrefix(images[0], "data:image/png;base64,") {
		t.Errorf("the model was shown %v", images)
	}
	o := u.run("push", "wiki", "gazebo.png")
	if o.code != 0 || !strings.Contains(o.err, "can be found by its name only") {
		t.Errorf("while the model fails: %+v", o)
	}
	if out := u.must("search", "gazebo"); !strings.Contains(out, "gazebo.png") {
		t.Errorf("search by name: %s", out)
	}
	u.env["FOOTNOTE_VISION_NAME"] = ""
	if o := u.run("push", "wiki", "plan.png"); o.code != exitConfig {
		t.Errorf("half a configuration: %+v", o)
	}
}
