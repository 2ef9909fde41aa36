package slacktest

import (
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// file is one file; data is what a download gives.
type file struct {
	id, name, title, kind, user string
	data                        []byte
	size                        int // as announced, while data is not there yet
	channels                    []string
	external                    string // address of a file kept elsewhere
	in                          *install
}

// FileData is a file that a person posts.
type FileData struct {
	Name     string
	Title    string // Name when empty
	Type     string // MIME type; guessed from the name when empty
	Data     []byte
	External string // address of a file that is kept elsewhere; it has no Data
}

func (s *Server) newFile(f FileData, user string) *file {
	kind := or(f.Type, mime.TypeByExtension(path.Ext(f.Name)))
	out := &file{id: s.nextID("F"), name: f.Name, title: or(f.Title, f.Name), kind: or(kind, "application/octet-stream"),
		user: user, data: f.Data, size: len(f.Data), external: f.External}
	s.files[out.id] = out
	return out
}

func (f *file) object(s *Server) object {
	address := s.base() + "/files-pri/" + f.id + "/" + url.PathEscape(f.name)
	kind, _, _ := strings.Cut(f.kind, ";")
	o := object{"id": f.id, "created": created, "timestamp": created, "name": f.name, "title": f.title, "mimetype": kind,
		"filetype": strings.TrimPrefix(path.Ext(f.name), "."), "pretty_type": strings.ToUpper(strings.TrimPrefix(path.Ext(f.name), ".")),
		"user": f.user, "size": f.size, "mode": "hosted", "is_external": false, "is_public": false, "file_access": "visible",
		"url_private": address, "url_private_download": address, "channels": f.channels,
		"permalink": "https://acme.slack.com/files/" + f.user + "/" + f.id + "/" + url.PathEscape(f.name)}
	if f.external != "" {
		o["mode"], o["is_external"], o["external_type"], o["url_private"], o["external_url"] = "external", true, "other", f.external, f.external
		delete(o, "url_private_download")
	}
	return o
}

// mayRead tells whether an installation sees a file: it is in one of its
// channels, or its own.
func (s *Server) mayRead(in *install, f *file) bool {
	if f.in != nil && f.in.app == in.app {
		return true
	}
	for _, id := range f.channels {
		if c := s.channels[id]; c != nil && (c.has(in.bot) || c.Kind == Public && c.Team == in.team) {
			return true
		}
	}
	return false
}

func (c *call) filesInfo() (object, error) {
	f := c.files[c.str("file")]
	if f == nil || !c.mayRead(c.in, f) {
		return nil, refuse("file_not_found")
	}
	return object{"file": f.object(c.Server), "comments": []any{}, "paging": object{"count": 0, "total": 0, "page": 1, "pages": 0}}, nil
}

// serveDownload gives a file to a token that may read it; anybody else is sent
// to the sign-in page, as Slack does. The mutex is not held.
func (s *Server) serveDownload(w http.ResponseWriter, r *http.Request) {
	if f := s.takeFault("files.download", params{}); f != nil && s.play(w, r, f) {
		return
	}
	s.mu.Lock()
	t, f := s.tokens[bearer(r)], s.files[r.PathValue("id")]
	ok := t != nil && t.dead == "" && t.install != nil && t.can("files:read") && f != nil && s.mayRead(t.install, f)
	s.mu.Unlock()
	if !ok {
		http.Redirect(w, r, "/?redir="+url.QueryEscape(r.URL.EscapedPath()), http.StatusFound)
		return
	}
	w.Header().Set("Content-Type", f.kind)
	_, _ = w.Write(f.data)
}

// serveUpload takes the bytes of a file, as a form or as they are. The mutex is
// not held.
func (s *Server) serveUpload(w http.ResponseWriter, r *http.Request) {
	if f := s.takeFault("files.upload", params{}); f != nil && s.play(w, r, f) {
		return
	}
	data, err := uploadBody(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.uploads[r.PathValue("id")]
	switch {
	case f == nil:
		http.Error(w, "no such upload", http.StatusNotFound)
	case len(data) != f.size:
		http.Error(w, "the length is not the one that was announced", http.StatusBadRequest)
	default:
		f.data = data
		_, _ = io.WriteString(w, "OK - ")
	}
}

func uploadBody(r *http.Request) ([]byte, error) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		return io.ReadAll(io.LimitReader(r.Body, 64<<20))
	}
	part, _, err := r.FormFile("file")
	if err != nil {
		return nil, err
	}
	defer part.Close()
	return io.ReadAll(io.LimitReader(part, 64<<20))
}
