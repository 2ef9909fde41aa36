package slacktest

import (
	"strings"
	"time"
)

// streamLife is how long Slack keeps a stream open, active or not.
const streamLife = 5 * time.Minute

type streamState int

const (
	streamOpen streamState = iota
	streamStopped
	streamDead   // it lived longer than streamLife
	streamHalted // a person pressed stop
)

func (s streamState) String() string {
	return [...]string{"in_progress", "completed", "errored", "stopped"}[s]
}

// stream is the part of a message that chat.startStream and its kin write.
type stream struct {
	state   streamState
	started time.Time
	text    string
	tasks   []object // task_update chunks by id, the newest state of each
	plan    string
	blocks  []any // blocks chunks
}

// shown is what the streamed part looks like.
func (st *stream) shown() string {
	var lines []string
	if st.plan != "" {
		lines = append(lines, "[plan "+st.plan+"]")
	}
	for _, t := range st.tasks {
		status, _ := t["status"].(string)
		lines = append(lines, "[task "+plainText(t["title"])+" "+or(status, "pending")+"]")
	}
	if st.text != "" {
		lines = append(lines, st.text)
	}
	if len(st.blocks) > 0 {
		lines = append(lines, blocksText(st.blocks))
	}
	if st.state == streamDead || st.state == streamHalted {
		lines = append(lines, "("+st.state.String()+")")
	}
	return strings.Join(lines, "\n")
}

// streamState is the state of a message's stream now; five minutes end it.
func (s *Server) streamState(m *message) streamState {
	if m.stream.state == streamOpen && s.clock.Now().Sub(m.stream.started) >= streamLife {
		m.stream.state = streamDead
	}
	return m.stream.state
}

// chunk is one member of chunks.
type chunk struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	ID     string `json:"id"`
	Title  string `json:"title"`
	Blocks []any  `json:"blocks"`
}

// write reads markdown_text and chunks of a call and adds them. Either all of
// it is written or nothing.
func (c *call) write(st *stream) error {
	next := *st
	next.tasks = append([]object(nil), st.tasks...)
	next.blocks = append([]any(nil), st.blocks...)
	text := c.str("markdown_text")
	var raw []object
	given, err := c.decode("chunks", &raw)
	if err != nil {
		return refuse("invalid_chunks", err.Error())
	}
	if given && text != "" {
		return refuse("markdown_text_conflict")
	}
	if units(text) > c.options.sizes.Append {
		return refuse("msg_too_long")
	}
	next.text += text
	for _, o := range raw {
		if err := c.writeChunk(&next, o); err != nil {
			return err
		}
	}
	if units(next.text) > c.options.sizes.Stream {
		return refuse("msg_too_long")
	}
	*st = next
	return nil
}

func (c *call) writeChunk(st *stream, o object) error {
	ch := convert[chunk](o)
	switch ch.Type {
	case "markdown_text":
		if units(ch.Text) > c.options.sizes.Append {
			return refuse("msg_too_long")
		}
		st.text += ch.Text
	case "plan_update":
		st.plan = ch.Title
	case "task_update":
		if ch.ID == "" || ch.Title == "" {
			return refuse("invalid_chunks", "task_update needs id and title")
		}
		st.setTask(ch.ID, o)
	case "blocks":
		if err := checkBlocks(ch.Blocks, inStream, c.options.sizes); err != nil {
			return err
		}
		c.nameBlocks(ch.Blocks)
		st.blocks = append(st.blocks, ch.Blocks...)
	default:
		return refuse("invalid_chunks", "unsupported type: "+ch.Type)
	}
	return nil
}

func (st *stream) setTask(id string, task object) {
	for i, t := range st.tasks {
		if t["id"] == id {
			st.tasks[i] = task
			return
		}
	}
	st.tasks = append(st.tasks, task)
}
