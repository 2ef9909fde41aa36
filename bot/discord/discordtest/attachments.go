package discordtest

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// fileLife is how long the address of an attachment works.
const fileLife = 24 * time.Hour

// store keeps the uploaded files of a draft.
func (s *Server) store(m *message, d *draft) []*attachment {
	var out []*attachment
	for _, u := range d.files {
		out = append(out, s.keepFile(m.channel, u.name, u.kind, u.data, m.to != ""))
	}
	return out
}

func (s *Server) keepFile(channel, name, kind string, data []byte, ephemeral bool) *attachment {
	name = strings.ReplaceAll(path.Base("/"+name), " ", "_")
	if kind == "" || kind == "application/octet-stream" {
		kind = or(mime.TypeByExtension(path.Ext(name)), "application/octet-stream")
	}
	f := &attachment{id: s.nextID(), channel: channel, name: name, kind: kind, data: data, ephemeral: ephemeral}
	s.files[f.id] = f
	return f
}

// address is where a file can be loaded, for a day from now.
func (s *Server) address(f *attachment, host string) string {
	until := s.clock.Now().Add(fileLife).Unix()
	return fmt.Sprintf("https://%s/attachments/%s/%s/%s?ex=%x&is=%x&hm=%x&", host, f.channel, f.id, url.PathEscape(f.name),
		until, until-int64(fileLife/time.Second), s.seal(f, until))
}

// seal stands for Discord's signature over address and expiry.
func (s *Server) seal(f *attachment, until int64) uint64 {
	n, _ := snowflake(f.id)
	return n*2654435761 ^ uint64(until)
}

func (s *Server) fileJSON(f *attachment) object {
	out := object{"id": f.id, "filename": f.name, "size": len(f.data), "content_type": f.kind,
		"url": s.address(f, "cdn.discordapp.com"), "proxy_url": s.address(f, "media.discordapp.net")}
	if f.ephemeral {
		out["ephemeral"] = true
	}
	return out
}

// serveAttachment gives the bytes of a file to whoever has its address. The
// mutex is not held.
func (s *Server) serveAttachment(w http.ResponseWriter, r *http.Request, name string) {
	_, fault := s.note(&route{name: name}, &call{Request: r})
	if fault != nil && s.play(w, r, fault) {
		return
	}
	s.mu.Lock()
	f := s.files[r.PathValue("id")]
	var until int64
	var seal uint64
	_, _ = fmt.Sscanf(r.URL.Query().Get("ex"), "%x", &until) // what is no number stays 0 and fails below
	_, _ = fmt.Sscanf(r.URL.Query().Get("hm"), "%x", &seal)
	good := f != nil && f.channel == r.PathValue("channel") && f.name == r.PathValue("name") &&
		seal == s.seal(f, until) && s.clock.Now().Unix() < until
	s.mu.Unlock()
	if !good {
		http.Error(w, "This content is no longer available.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", f.kind)
	_, _ = w.Write(f.data)
}
