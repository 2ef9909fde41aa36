package plugintest

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// offline leads every proxied request nowhere.
var offline = []string{
	"HTTP_PROXY=http://127.0.0.1:1", "HTTPS_PROXY=http://127.0.0.1:1", "ALL_PROXY=http://127.0.0.1:1", "NO_PROXY=",
}

// describeTimeout is for what waits for nothing but the processor.
const describeTimeout = 30 * time.Second

func startUp(ctx context.Context, s *suite) verdict {
	dir, err := freshDir(s.dir)
	if err != nil {
		return failed("no folder: %v", err)
	}
	p, err := start(ctx, s.subject, starting{dir: dir, env: offline})
	s.started = p
	if err == nil {
		return pass()
	}
	if p != nil {
		if _, came := p.Protocol(); came {
			return pass() // what else is wrong is for the next checks
		}
	}
	return failed("%s", p.why(err))
}

func startProtocol(_ context.Context, s *suite) verdict {
	if got, _ := s.started.Protocol(); got != wire.ProtocolVersion {
		return failed("it speaks %d, this kit speaks %d: build both with the same release", got, wire.ProtocolVersion)
	}
	return pass()
}

// startDescribe asks in a network with nothing in it, where the system can make
// one; elsewhere proxies lead nowhere, which keeps only some requests away.
func startDescribe(ctx context.Context, s *suite) verdict {
	p, how := s.started, "proxies led nowhere; direct connections were not kept away"
	if p.client == nil {
		return failed("%s", p.why(errors.New("no connection after the handshake")))
	}
	if !p.TCP() && networksCanBeMade(ctx) {
		dir, err := freshDir(s.dir)
		if err != nil {
			return failed("no folder: %v", err)
		}
		if p, err = start(ctx, s.subject, starting{dir: dir, env: offline, apart: true}); err != nil {
			return failed("without a network it does not start: %s", p.why(err))
		}
		defer p.stop()
		how = "in a network with nothing in it"
	}
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	about, err := p.client.Describe(ctx, &wire.DescribeRequest{})
	switch {
	case err != nil:
		return failed("%s: %s", how, p.why(errors.New(told(err))))
	case about.GetName() == "":
		return failed("it has no name")
	case about.GetVersion() == "":
		return failed("it has no version")
	}
	s.about = about
	s.schema, _ = readSchema(about.GetConfigSchema()) // config.schema tells what is wrong
	return passed("%s %s, %s", about.GetName(), about.GetVersion(), how)
}

func startStdout(_ context.Context, s *suite) verdict {
	if text := s.started.output.strayText(); text != "" {
		return failed("it printed %q: print to standard error, or call Serve first", clip(text, 200))
	}
	return pass()
}

func startParallel(ctx context.Context, s *suite) verdict {
	errs := make([]error, 2)
	var both sync.WaitGroup
	for i := range errs {
		both.Go(func() { errs[i] = s.briefly(ctx) })
	}
	both.Wait()
	if err := errors.Join(errs...); err != nil {
		return failed("%v", err)
	}
	return pass()
}

// briefly starts a process that describes itself and stops it.
func (s *suite) briefly(ctx context.Context) error {
	dir, err := freshDir(s.dir)
	if err != nil {
		return err
	}
	p, err := start(ctx, s.subject, starting{dir: dir})
	if err != nil {
		return errors.New(p.why(err))
	}
	defer p.stop()
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	_, err = p.client.Describe(ctx, &wire.DescribeRequest{})
	return err
}

// busy begins a sync, if there is a configuration, and reads one event.
func (s *suite) busy(ctx context.Context, p *process, dir string) error {
	if s.level < configured {
		return nil
	}
	if err := s.configure(ctx, p, dir, s.config); err != nil {
		return err
	}
	stream, err := p.client.Sync(ctx, &wire.SyncRequest{Reason: wire.SyncReason_SYNC_REASON_FIRST})
	if err != nil {
		return err
	}
	// How the sync goes is for other checks to say.
	_, _ = stream.Recv()
	return nil
}

// leaveTimeout is how long a connector may outlive its host; the second is for a
// machine that has more to do.
const leaveTimeout = 3*time.Second + time.Second

// startOrphan puts a process between the kit and the connector and kills it, as
// if the host had been killed in the middle of a sync. The connector alone holds
// the other end of a pipe.
func startOrphan(ctx context.Context, s *suite) verdict {
	if _, err := os.Stat("/bin/sh"); err != nil {
		return skipped("there is no /bin/sh to stand in for a host")
	}
	read, write, err := os.Pipe()
	if err != nil {
		return failed("%v", err)
	}
	defer read.Close()
	dir, err := freshDir(s.dir)
	if err != nil {
		return failed("%v", err)
	}
	p, err := start(ctx, s.subject, starting{dir: dir, watch: write, shell: true})
	write.Close()
	if err != nil {
		return failed("%s", p.why(err))
	}
	defer p.stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	patience := time.AfterFunc(describeTimeout, cancel) // a sync that brings nothing is not waited for
	err = s.busy(ctx, p, dir)
	patience.Stop()
	if err != nil {
		return failed("before the host's death: %s", p.why(errors.New(told(err))))
	}
	err = errors.Join(p.cmd.Process.Kill(), p.Conn.Close(), p.Deafen())
	if errors.Is(err, os.ErrProcessDone) {
		return skipped("the connector ended by itself before the host could")
	}
	if err != nil {
		return failed("the stand-in for the host could not be killed: %v", err)
	}
	began := time.Now()
	if err := read.SetReadDeadline(began.Add(leaveTimeout)); err != nil {
		return failed("%v", err)
	}
	if _, err := read.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		return overdue("it still runs: watch the parent's process id, which changes when the host is gone")
	}
	return passed("it left after %v", time.Since(began).Round(100*time.Millisecond))
}
