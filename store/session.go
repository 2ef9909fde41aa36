package store

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"

	"github.com/footnote-bot/footnote/core"
)

// session is one connection with its prepared statements: preparing anew each
// time took more than half of a commit. It is used by one goroutine at a time,
// inside one transaction.
type session struct {
	conn  *sql.Conn
	stmts map[string]prepared // by text; all texts are constants of this package
	keys  *atomic.Pointer[keyring]
	stale stale // what the transaction may change
	whole bool  // the transaction is several writes: the end of one's context stops no statement
	lost  error // what ended the transaction before its end; later statements would stand alone
}

// prepared is a statement that was prepared.
type prepared struct {
	*sql.Stmt
	changes stale
}

// sessions is a pool of a fixed number of connections.
type sessions struct {
	db     *sql.DB
	idle   chan *session
	closed chan struct{}
	queue  queue
	recall *[recalledKinds]recall // of what is written here; nil where nothing is
}

func openSessions(ctx context.Context, dsn string, n int) (*sessions, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(n)
	p := &sessions{db: db, idle: make(chan *session, n), closed: make(chan struct{})}
	for range n {
		conn, err := db.Conn(ctx)
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		p.idle <- &session{conn: conn, stmts: map[string]prepared{}}
	}
	return p, nil
}

// close waits for transactions to end; later ones fail. It is called once.
func (p *sessions) close() error {
	close(p.closed)
	var errs []error
	for range p.db.Stats().OpenConnections {
		x := <-p.idle
		for _, stmt := range x.stmts {
			errs = append(errs, stmt.Close())
		}
		errs = append(errs, x.conn.Close())
	}
	return errors.Join(append(errs, p.db.Close())...)
}

// inTx runs f between begin and COMMIT on a connection of the pool.
func (p *sessions) inTx(ctx context.Context, begin string, f func(*session) error) error {
	select {
	case x := <-p.idle:
		defer p.leave(x)
		return x.inTx(ctx, begin, f)
	case <-ctx.Done():
		return ctx.Err()
	case <-p.closed:
		return errClosed()
	}
}

func errClosed() error {
	return core.Errorf(core.KindUnavailable, "The ledger is closed; Footnote is stopping.")
}

// inTx runs f between begin and COMMIT; nothing of it stays on an error. A context
// that ends while a transaction begins may leave it begun all the same, and while it
// is committed, committed: the one is rolled back, the other not interrupted.
func (x *session) inTx(ctx context.Context, begin string, f func(*session) error) error {
	done := false
	x.lost = nil
	defer func() {
		if x.lost = nil; !done { // also after a panic; an error means that there is nothing to roll back
			x.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`)
		}
	}()
	if _, err := x.ExecContext(ctx, begin); err != nil {
		return err
	}
	if err := f(x); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := x.ExecContext(context.WithoutCancel(ctx), `COMMIT`); err != nil {
		return err
	}
	done = true
	return nil
}

// leave gives the connection back after a transaction.
func (p *sessions) leave(x *session) {
	p.renew(x)
	p.idle <- x
}

// renew makes what the transaction may have changed be read again, whatever became
// of it.
func (p *sessions) renew(x *session) {
	for kind := range x.stale {
		if x.stale[kind] && p.recall != nil {
			p.recall[kind].changes.Add(1)
		}
	}
	x.stale = stale{}
}

// lasting is the context of a statement. One that is interrupted takes the whole
// transaction with it, also what is not its own.
func (x *session) lasting(ctx context.Context) context.Context {
	if x.whole {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// noteLost passes an error on, and remembers one with which SQLite may have rolled the
// whole transaction back.
func (x *session) noteLost(err error) error {
	if endsTransaction(err) {
		x.lost = err
	}
	return err
}

func (x *session) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if x.lost != nil {
		return nil, x.lost
	}
	stmt, ok := x.stmts[query]
	if !ok {
		var err error
		if stmt.Stmt, err = x.conn.PrepareContext(ctx, query); err != nil {
			return nil, err
		}
		stmt.changes = staleBy(query)
		x.stmts[query] = stmt
	}
	x.stale.and(stmt.changes)
	return stmt.Stmt, nil
}

func (x *session) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	ctx = x.lasting(ctx)
	stmt, err := x.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	res, err := stmt.ExecContext(ctx, args...)
	return res, x.noteLost(err)
}

func (x *session) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	ctx = x.lasting(ctx)
	stmt, err := x.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	return rows, x.noteLost(err)
}

func (x *session) QueryRowContext(ctx context.Context, query string, args ...any) oneRow {
	ctx = x.lasting(ctx)
	stmt, err := x.prepare(ctx, query)
	if err != nil {
		return oneRow{err: err}
	}
	return oneRow{x: x, row: stmt.QueryRowContext(ctx, args...)}
}

// oneRow is a row, or why there is none.
type oneRow struct {
	x   *session
	row *sql.Row
	err error
}

// Scan works like sql.Row.Scan.
func (r oneRow) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	return r.x.noteLost(r.row.Scan(into...))
}
