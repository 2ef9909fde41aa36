package githubtest

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

const host = "https://github.test/"

func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}

func (c *call) userShape(login string) map[string]any {
	kind := "User"
	if u := c.users[strings.ToLower(login)]; u != nil && u.Bot {
		kind = "Bot"
	}
	return map[string]any{"login": login, "id": 1 + len(login), "type": kind, "html_url": host + login, "site_admin": false}
}

func (c *call) ownerShape(login string) map[string]any {
	shape := c.userShape(login)
	if o := c.orgs[strings.ToLower(login)]; o != nil {
		shape["type"], shape["id"] = "Organization", o.ID
	}
	return shape
}

func (c *call) repositoryShape(r *Repository) map[string]any {
	size := 0
	for _, text := range r.Files {
		size += 1 + len(text)>>10
	}
	return map[string]any{
		"id": r.ID, "name": r.Name, "full_name": r.Full(), "owner": c.ownerShape(r.Owner), "private": r.Visibility != "public",
		"visibility": r.Visibility, "archived": r.Archived, "default_branch": "main", "html_url": host + r.Full(), "size": size,
		"has_issues": true, "has_discussions": len(r.Talks) > 0, "fork": false,
		"url": "http://" + c.r.Host + "/api/v3/repos/" + r.Full(),
	}
}

func (c *call) itemShape(r *Repository, i *Item) map[string]any {
	where, link := "issues", host+r.Full()+"/issues/"+strconv.Itoa(i.Number)
	if i.Pull {
		where, link = "pulls", host+r.Full()+"/pull/"+strconv.Itoa(i.Number)
	}
	labels := []any{}
	for _, l := range i.Labels {
		labels = append(labels, map[string]any{"id": 1, "name": l, "color": "ededed"})
	}
	api := "http://" + c.r.Host + "/api/v3/repos/" + r.Full()
	shape := map[string]any{
		"id": r.ID*100000 + int64(i.Number), "number": i.Number, "title": i.Title, "body": i.Body, "state": i.State, "user": c.userShape(i.Author),
		"labels": labels, "assignees": []any{}, "milestone": nil, "comments": len(i.Comments), "html_url": link, "locked": false,
		"created_at": stamp(i.Created), "updated_at": stamp(i.Updated), "closed_at": nil, "url": api + "/" + where + "/" + strconv.Itoa(i.Number),
		"repository_url": api,
	}
	if i.Pull {
		merged := any(nil)
		if i.Merged {
			merged = stamp(i.Updated)
		}
		shape["pull_request"] = map[string]any{"html_url": link, "merged_at": merged}
		shape["draft"] = false
	}
	return shape
}

func (c *call) remarkShape(r *Repository, i *Item, m Remark, anchor string) map[string]any {
	where := "issues"
	if i.Pull {
		where = "pull"
	}
	shape := map[string]any{
		"id": m.ID, "user": c.userShape(m.Author), "body": m.Body, "created_at": stamp(m.At), "updated_at": stamp(m.At),
		"html_url": fmt.Sprintf("%s%s/%s/%d#%s%d", host, r.Full(), where, i.Number, anchor, m.ID),
	}
	if m.State != "" {
		shape["state"], shape["submitted_at"] = m.State, stamp(m.At)
	}
	if m.Path != "" {
		shape["path"] = m.Path
	}
	return shape
}

func (c *call) releaseShape(r *Repository, v *Release) map[string]any {
	return map[string]any{
		"id": v.ID, "tag_name": v.Tag, "name": v.Name, "body": v.Body, "author": c.userShape(v.Author), "draft": v.Draft, "prerelease": v.Prerelease,
		"created_at": stamp(v.At), "published_at": stamp(v.At), "html_url": host + r.Full() + "/releases/tag/" + v.Tag, "assets": []any{},
	}
}

func (c *call) gitTree(r *Repository) {
	id := c.r.PathValue("sha")
	files, ok := r.folder(id)
	if !ok {
		c.missing()
		return
	}
	recursive := c.r.URL.Query().Get("recursive") == "1"
	entries, dirs := []any{}, folders(files)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if recursive || !strings.Contains(name, "/") {
			entries = append(entries, map[string]any{"path": name, "mode": "100644", "type": "blob", "sha": hash("blob", files[name]), "size": len(files[name])})
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		if recursive || path.Dir(dir) == "." {
			entries = append(entries, map[string]any{"path": dir, "mode": "040000", "type": "tree", "sha": hash("tree", listing(below(files, dir)))})
		}
	}
	cut := r.Truncated && recursive
	if cut {
		entries = entries[:len(entries)/2]
	}
	c.json(map[string]any{"sha": id, "tree": entries, "truncated": cut})
}

func (c *call) gitBlob(r *Repository) {
	id := c.r.PathValue("sha")
	for _, files := range append([]map[string]string{r.Files}, slices.Collect(maps.Values(r.trees))...) {
		for _, text := range files {
			if hash("blob", text) == id {
				c.json(map[string]any{"sha": id, "size": len(text), "encoding": "base64", "content": lines(base64.StdEncoding.EncodeToString([]byte(text)))})
				return
			}
		}
	}
	c.refuse(http.StatusNotFound, "Not Found")
}

// lines breaks a text as GitHub breaks base64.
func lines(text string) string {
	var b strings.Builder
	for len(text) > 60 {
		b.WriteString(text[:60] + "\n")
		text = text[60:]
	}
	return b.String() + text + "\n"
}
