package slacktest

import "slices"

func (c *call) filesGetUploadURL() (object, error) {
	size := c.number("length", 0)
	if c.str("filename") == "" || size <= 0 {
		return nil, refuse("invalid_arguments", "must provide filename and length [json-pointer:/length]")
	}
	f := c.newFile(FileData{Name: c.str("filename")}, c.in.bot)
	delete(c.files, f.id) // not a file before it is completed
	f.size, f.in = size, c.in
	c.uploads[f.id] = f
	return object{"upload_url": c.base() + "/upload/" + f.id, "file_id": f.id}, nil
}

// filesCompleteUpload shares uploaded files, with the comment as the text of
// their message.
func (c *call) filesCompleteUpload() (object, error) {
	var list []struct{ ID, Title string }
	if given, err := c.decode("files", &list); err != nil || !given || len(list) == 0 {
		return nil, refuse("invalid_arguments", "must provide a list of files [json-pointer:/files]")
	}
	var files []*file
	out := []object{}
	for _, item := range list {
		f := c.uploads[item.ID]
		if f == nil || f.in.app != c.in.app {
			return nil, refuse("file_not_found")
		}
		if f.data == nil {
			return nil, refuse("file_upload_not_complete")
		}
		f.title = or(item.Title, f.name)
		files = append(files, f)
		out = append(out, object{"id": f.id, "title": f.title})
	}
	var ids []string
	if c.has("channel_id") {
		ids = append(ids, c.str("channel_id"))
	}
	ids = append(ids, c.words("channels")...)
	if err := c.shareFiles(ids, files); err != nil {
		return nil, err
	}
	for _, f := range files {
		delete(c.uploads, f.id)
		c.files[f.id] = f
	}
	return object{"files": out}, nil
}

// filesDelete takes a file of the app out of all messages; what only showed it
// goes with it.
func (c *call) filesDelete() (object, error) {
	f := c.files[c.str("file")]
	switch {
	case f == nil:
		return nil, refuse("file_not_found")
	case f.in == nil || f.in.app != c.in.app:
		return nil, refuse("cant_delete_file")
	}
	delete(c.files, f.id)
	for _, id := range f.channels {
		for _, m := range c.messages[id] {
			if !slices.Contains(m.files, f) {
				continue
			}
			m.keep()
			m.files = slices.DeleteFunc(slices.Clone(m.files), func(o *file) bool { return o == f })
			if len(m.files) == 0 && m.text == "" && len(m.blocks) == 0 {
				c.remove(c.channels[id], m)
			}
		}
	}
	return object{}, nil
}

func (c *call) shareFiles(ids []string, files []*file) error {
	var blocks []any
	if _, err := c.decode("blocks", &blocks); err != nil {
		return refuse("invalid_blocks_format", err.Error())
	}
	if err := checkBlocks(blocks, inMessage, c.options.sizes); err != nil {
		return err
	}
	var targets []*Channel
	for _, id := range ids {
		c.params["channel_id"] = id
		ch, err := c.target("channel_id")
		if err != nil {
			return err
		}
		if !ch.has(c.in.bot) {
			return refuse("not_in_channel")
		}
		targets = append(targets, ch)
	}
	for _, ch := range targets {
		m := c.fresh(ch)
		var err error
		if m.thread, err = c.parent(ch.ID); err != nil {
			return err
		}
		m.text, m.blocks, m.files, m.subtype = c.str("initial_comment"), blocks, files, "file_share"
		for _, f := range files {
			if !slices.Contains(f.channels, ch.ID) {
				f.channels = append(f.channels, ch.ID)
			}
		}
		c.publish(ch, m)
	}
	return nil
}
