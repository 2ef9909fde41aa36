package discordtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// draft is what a request says about a message: everything that a send, an
// edit, a response and a follow-up have in common.
type draft struct {
	form
	content       string
	embeds        []object
	components    []object
	flags         int
	allowed       *allowedMentions
	rawAllowed    json.RawMessage
	keep          []string // ids of attachments that an edit keeps; nil without a list
	attachments   []object
	files         []upload
	ref           string
	refChannel    string
	failIfMissing bool
	nonce         any
	unique        bool // enforce_nonce
}

// readDraft reads and checks the fields of a message. v2 says that the message
// that is edited has the newer components.
func readDraft(f form, files []upload, v2 bool) (*draft, error) {
	d := &draft{form: f, files: files, content: strings.TrimSpace(f.text("content")), embeds: f.objects("embeds"),
		components: f.objects("components"), flags: f.number("flags"), allowed: parseAllowed(f), rawAllowed: f.fields["allowed_mentions"],
		attachments: f.objects("attachments")}
	f.read("nonce", &d.nonce)
	f.read("enforce_nonce", &d.unique)
	d.mistakes.text("content", d.content, 0, maxContent)
	checkEmbeds(f.mistakes, d.embeds)
	checkComponents(f.mistakes, d.components, v2 || d.flags&flagV2 != 0)
	if (v2 || d.flags&flagV2 != 0) && (d.content != "" || len(d.embeds) > 0) {
		f.add("content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "The 'content' and 'embeds' fields cannot be used when using MessageFlags.IS_COMPONENTS_V2")
	}
	d.reference()
	d.checkFiles()
	if err := f.err(); err != nil {
		return nil, err
	}
	for _, u := range files {
		if len(u.data) > maxFileSize {
			return nil, fail(http.StatusRequestEntityTooLarge, 40005, "Request entity too large")
		}
	}
	return d, nil
}

func (d *draft) reference() {
	var ref struct {
		Message string `json:"message_id"`
		Channel string `json:"channel_id"`
		Fail    *bool  `json:"fail_if_not_exists"`
	}
	d.read("message_reference", &ref)
	d.ref, d.refChannel = ref.Message, ref.Channel
	d.failIfMissing = ref.Fail == nil || *ref.Fail
}

func (d *draft) checkFiles() {
	if len(d.files)+len(d.attachments) > 2*maxFiles || len(d.files) > maxFiles {
		d.add("attachments", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxFiles)
	}
	if !d.has("attachments") {
		return
	}
	d.keep = []string{}
	for i, a := range d.attachments {
		id := words(a, "id")
		if n, ok := a["id"].(float64); ok {
			id = fmt.Sprint(int(n))
		}
		if id == "" {
			d.add(fmt.Sprintf("attachments.%d.id", i), "BASE_TYPE_REQUIRED", "This field is required")
		}
		d.keep = append(d.keep, id)
	}
}

// empty tells whether there is nothing to read in a message.
func empty(m *message) bool {
	return m.content == "" && len(m.embeds) == 0 && len(m.components) == 0 && len(m.files) == 0
}

// fill writes a draft into a new message.
func (s *Server) fill(m *message, d *draft) {
	m.content, m.embeds, m.components = d.content, copyObjects(d.embeds), copyObjects(d.components)
	m.flags |= d.flags & (flagSuppress | flagV2)
	m.nonce = d.nonce
	m.files = s.store(m, d)
	s.mention(m, d)
}

// overwrite writes a draft over a message: only what the request names.
func (s *Server) overwrite(m *message, d *draft) {
	if d.has("content") {
		m.content = d.content
	}
	if d.has("embeds") {
		m.embeds = copyObjects(d.embeds)
	}
	if d.has("components") {
		m.components = copyObjects(d.components)
	}
	if d.has("flags") {
		m.flags = m.flags&^flagSuppress | d.flags&(flagSuppress|flagV2)
	}
	if d.keep != nil {
		m.files = slices.DeleteFunc(slices.Clone(m.files), func(f *attachment) bool { return !slices.Contains(d.keep, f.id) })
	}
	m.files = append(m.files, s.store(m, d)...)
	s.mention(m, d)
}

// mention works out whom the message mentions now.
func (s *Server) mention(m *message, d *draft) {
	c := s.channels[m.channel]
	text := strings.Join([]string{m.content, displayText(m.components)}, "\n")
	m.mentions = s.mentions(text, m.author, c, d.allowed)
	if r := s.byMessage[m.ref]; m.kind == replyMessage && m.by == nil && r != nil && d.allowed.replied() && !slices.Contains(m.mentions.users, r.author) {
		m.mentions.users = append(m.mentions.users, r.author)
	}
}
