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
	stmts map[string]*sql.Stmt // by text; all texts are constants of this package
	keys  *atomic.Pointer[keyring]
}

// sessions is a pool of a fixed number of connections.
type sessions struct {
	db     *sql.DB
	idle   chan *session
	closed chan struct{}
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
		p.idle <- &session{conn: conn, stmts: map[string]*sql.Stmt{}}
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

// inTx runs f between begin and COMMIT; nothing of it stays on an error. A context
// that ends while a transaction begins may leave it begun all the same, and while it
// is committed, committed: the one is rolled back, the other not interrupted.
func (p *sessions) inTx(ctx context.Context, begin string, f func(*session) error) error {
	var x *session
	select {
	case x = <-p.idle:
		defer func() { p.idle <- x }()
	case <-ctx.Done():
		return ctx.Err()
	case <-p.closed:
		return core.Errorf(core.KindUnavailable, "The ledger is closed; Footnote is stopping.")
	}
	done := false
	defer func() {
		if !done { // also after a panic; an error means that there is nothing to roll back
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

func (x *session) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt, ok := x.stmts[query]; ok {
		return stmt, nil
	}
	stmt, err := x.conn.PrepareContext(ctx, query)
	if err == nil {
		x.stmts[query] = stmt
	}
	return stmt, err
}

func (x *session) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	stmt, err := x.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

func (x *session) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := x.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

func (x *session) QueryRowContext(ctx context.Context, query string, args ...any) oneRow {
	stmt, err := x.prepare(ctx, query)
	if err != nil {
		return oneRow{err: err}
	}
	return oneRow{row: stmt.QueryRowContext(ctx, args...)}
}

// oneRow is a row, or why there is none.
type oneRow struct {
	row *sql.Row
	err error
}

// Scan works like sql.Row.Scan.
func (r oneRow) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	return r.row.Scan(into...)
}
