package core

import "testing"

func TestShareableURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "",
		"https://a.example/x?page=2&view=full": "https://a.example/x?page=2&view=full",
		"https://a.example/x?":                 "https://a.example/x?",
		"https://a.example/x?page=2&X-Amz-Signature=ab&X-Amz-Date=1": "https://a.example/x?page=2",
		"https://a.example/x?X-Goog-Expires=5&GoogleAccessId=x":      "https://a.example/x?GoogleAccessId=x",
		"https://a.example/x?sv=2020&sig=abc%3D#part":                "https://a.example/x?sv=2020#part",
		"https://user:pw@a.example/x":                                "https://a.example/x",
		"https://a.example/x?access_token=1":                         "https://a.example/x",
		"https://a.example/x?pub_secret=1&t=xoxe-1":                  "https://a.example/x",
		"https://a.example/x?q=eyJhbGci.eyJzdWIi.c2ln":               "https://a.example/x",
		"https://a.example/x#access_token=1&tab=2":                   "https://a.example/x#tab=2",
		"https://a.example/x#id_token=1":                             "https://a.example/x",
		"https://a.example/x#a=b":                                    "https://a.example/x#a=b",
		"https://a.example/x?%74oken=1":                              "https://a.example/x",
		"https://u:p@a.example/%zz?token=1":                          "https://a.example/%zz",
		"https://a.example/x?key=ABC-1":                              "https://a.example/x?key=ABC-1",
	} {
		if got := ShareableURL(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
