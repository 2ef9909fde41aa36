package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/blevesearch/bleve/v2/index/scorch"
	bleveindex "github.com/blevesearch/bleve_index_api"
	zap "github.com/blevesearch/zapx/v17"

	"github.com/footnote-bot/footnote/core"
)

// schema is raised whenever terms or keys change their form: an index of
// another schema is thrown away and built again.
const schema = 2

const (
	labelFile    = "index.json"
	damagedFile  = "damaged" // written when a search met a broken segment
	newestFile   = "newest"  // which write of text was the newest
	engineFolder = "segments"
)

// label says whose index a folder holds.
type label struct {
	Install string `json:"install"`
	Schema  int    `json:"schema"`
}

// Open opens the index in the folder, which is created if missing. A folder that
// holds something unusable is emptied, see Fresh. Errors are of kind locked where
// another process has the folder open and disk where it cannot be used.
func Open(ctx context.Context, dir string, opts Options) (*Index, error) {
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, diskError(dir, err)
	}
	want := label{Install: opts.Install, Schema: schema}
	if reason := unusable(dir, want); reason == "" {
		x, err := load(ctx, dir, log)
		if err == nil {
			x.vectors.OnLost(opts.VectorsLost)
			return x, nil
		}
		if kind := core.KindOf(err); kind != core.KindInternal {
			return nil, err
		}
		log.WarnContext(ctx, "search index is damaged and starts empty", "dir", dir, "error", err)
	} else if reason != "missing" {
		log.WarnContext(ctx, "search index cannot be used and starts empty", "dir", dir, "reason", reason)
	}
	x, err := create(ctx, dir, want, log)
	if err == nil {
		x.vectors.OnLost(opts.VectorsLost)
	}
	return x, err
}

// unusable names the reason why a folder's index cannot be opened, "" if none.
func unusable(dir string, want label) string {
	b, err := os.ReadFile(filepath.Join(dir, labelFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "missing"
	}
	var got label
	switch {
	case err != nil || json.Unmarshal(b, &got) != nil:
		return "its label cannot be read"
	case got.Install != want.Install:
		return "it belongs to another install"
	case got.Schema != want.Schema:
		return "it has another form"
	}
	if _, err := os.Stat(filepath.Join(dir, damagedFile)); err == nil {
		return "a search found it damaged"
	}
	return ""
}

// create empties the folder and makes a new index in it. The label is written
// last: without it the folder counts as missing.
func create(ctx context.Context, dir string, want label, log *slog.Logger) (*Index, error) {
	if err := os.Remove(filepath.Join(dir, labelFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, diskError(dir, err)
	}
	for _, name := range []string{engineFolder, damagedFile, newestFile, vectorFolder} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return nil, diskError(dir, err)
		}
	}
	x, err := load(ctx, dir, log)
	if err != nil {
		return nil, err
	}
	x.fresh = true
	b, err := json.Marshal(want)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, labelFile), b, 0o600)
	}
	if err != nil {
		return nil, errors.Join(diskError(dir, err), x.Close())
	}
	return x, nil
}

// load opens the engine, reads which windows it holds and opens the vectors.
func load(ctx context.Context, dir string, log *slog.Logger) (x *Index, err error) {
	x = &Index{dir: dir, log: log, pace: newPace(), facts: newFacts(), languages: map[string]bool{}, function: loadFunctionWords(), tables: map[uint64]*table{}}
	x.scratch.New = func() any { return new(accumulator) }
	x.queue = bleveindex.NewAnalysisQueue(2)
	if err := x.openEngine(); err != nil {
		x.queue.Close()
		return nil, openError(dir, err)
	}
	checked := make(chan error, 1)
	go func() { checked <- x.checkFiles(ctx) }()
	err = errors.Join(x.readWindows(ctx), <-checked)
	if isDisk(err) {
		err = diskError(dir, err)
	}
	if err == nil {
		err = x.openVectors(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	documents, _ := x.Count()
	x.fresh = documents == 0
	x.keep()
	return x, nil
}

// openEngine turns a panic over broken files into an error.
func (x *Index) openEngine() (err error) {
	if err := checkBolt(x.path(engineFolder)); err != nil {
		return err
	}
	defer faultsPanic()()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the engine failed on its files: %v", r)
		}
	}()
	registerPaced()
	x.engine, err = scorch.NewScorch("footnote", map[string]any{
		"forceSegmentType":    zap.Type,
		"forceSegmentVersion": int(zap.Version),
		"segmentConfig":       map[string]any{paceKey: x.pace},

		"path":               filepath.Join(x.dir, engineFolder),
		"bolt_timeout":       "2s",
		"numSnapshotsToKeep": 1,
	}, x.queue)
	if err != nil {
		return err
	}
	return x.engine.Open()
}

// openError tells apart what another process or the disk causes from damage.
func openError(dir string, err error) error {
	switch {
	case strings.Contains(err.Error(), "timeout"):
		return core.Wrap(core.KindLocked, err,
			"The search index in "+dir+" is in use by another process. Stop that process or use another data folder.")
	case isDisk(err):
		return diskError(dir, err)
	}
	return fmt.Errorf("open engine: %w", err)
}

// isDisk tells that a file could not be used, which says nothing about what is in it.
func isDisk(err error) bool {
	for _, reason := range []error{fs.ErrPermission, syscall.ENOSPC, syscall.EROFS, syscall.EMFILE, syscall.ENFILE} {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}

func diskError(dir string, err error) error {
	return core.Wrap(core.KindDisk, err,
		"The search index in "+dir+" cannot be read or written. Check the free space and the permissions of that folder.")
}
