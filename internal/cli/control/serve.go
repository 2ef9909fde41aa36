package control

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// requestPatience is how long a caller may take to say what it wants. It waits as long
// for a word from here: a machine that stands still for seconds is no fault of either.
const requestPatience = 10 * time.Second

// Handler runs one command and returns its exit code.
type Handler func(ctx context.Context, req Request, streams Streams) int

// Server runs the commands of other processes.
type Server struct {
	dir      string
	listener net.Listener
	handle   Handler
	log      *slog.Logger
	ctx      context.Context
	cancel   context.CancelFunc
	work     sync.WaitGroup
}

// Serve opens the folder's socket and answers on it until Close. The caller must
// hold the folder's lock.
func Serve(ctx context.Context, dir string, handle Handler, log *slog.Logger) (*Server, error) {
	l, err := listen(dir)
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, listener: l, handle: handle, log: log}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.work.Add(1)
	go s.accept()
	return s, nil
}

// Close takes no more commands, waits for the running ones and removes the
// socket. With a cancelled context of Serve the running ones are cut short.
func (s *Server) Close() {
	s.listener.Close()
	s.work.Wait()
	s.cancel()
	remove(filepath.Join(s.dir, socketName))
}

func (s *Server) accept() {
	defer s.work.Done()
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return // closed
		}
		s.work.Add(1)
		go func() {
			defer s.work.Done()
			defer conn.Close()
			if err := s.answer(conn); err != nil {
				s.log.Warn("a command from another process was cut short", "error", err)
			}
		}()
	}
}

func (s *Server) answer(conn net.Conn) error {
	out := &sender{to: json.NewEncoder(conn)}
	if err := out.send(frame{Hello: true}); err != nil {
		return err
	}
	in := json.NewDecoder(conn)
	var req Request
	if err := conn.SetReadDeadline(time.Now().Add(requestPatience)); err != nil {
		return err
	}
	if err := in.Decode(&req); err != nil {
		return err
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	code := s.run(conn, in, out, req)
	return out.send(frame{Exit: &code})
}

// run executes one command while a reader of its own hands over input and
// notices when the caller goes away, which stops the command.
func (s *Server) run(conn net.Conn, in *json.Decoder, out *sender, req Request) int {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	input := newInput(out)
	interrupts := &Interrupts{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer input.close()
		defer cancel()
		listenTo(in, input, interrupts, cancel)
	}()
	code := s.guarded(ctx, req, Streams{In: input, Out: out.stream(false), Err: out.stream(true), Interrupts: interrupts})
	conn.SetReadDeadline(time.Now()) //nolint:errcheck // only wakes the reader below
	<-done
	return code
}

func listenTo(in *json.Decoder, input *input, interrupts *Interrupts, quit func()) {
	for {
		var f frame
		if in.Decode(&f) != nil {
			return
		}
		switch {
		case f.Stop:
			interrupts.Signal()
		case f.Quit:
			quit()
		case f.EOF:
			input.close()
		case len(f.In) > 0:
			input.give(f.In)
		}
	}
}

// guarded keeps a fault in one caller's command from ending the holder.
func (s *Server) guarded(ctx context.Context, req Request, streams Streams) (code int) {
	defer func() {
		if fault := recover(); fault != nil {
			s.log.Error("a command panicked", "fault", fault)
			io.WriteString(streams.Err, "footnote: "+core.Errorf(core.KindInternal, "the command failed; see the log of the process that holds the data folder").Error()+"\n") //nolint:errcheck
			code = 1
		}
	}()
	return s.handle(ctx, req, streams)
}

// sender writes frames one at a time.
type sender struct {
	mu sync.Mutex
	to *json.Encoder
}

func (s *sender) send(f frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Encode(f)
}

func (s *sender) stream(isErr bool) io.Writer {
	return writerFunc(func(p []byte) (int, error) {
		f := frame{Out: p}
		if isErr {
			f = frame{Err: p}
		}
		return len(p), s.send(f)
	})
}

type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(p []byte) (int, error) { return w(p) }
