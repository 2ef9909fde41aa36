package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
	"github.com/footnote-bot/footnote/store"
)

const (
	manifestName = "manifest.json"
	// backupFormat counts the forms that a backup's file ever had.
	backupFormat = 1
	// longestManifest is far more than the few names that one holds.
	longestManifest = 1 << 20
)

// backupMembers are all that a backup may hold; nothing else is ever unpacked.
var backupMembers = []string{store.FileName, keyFile, config.DefaultFile, lockName}

// manifest is what a backup says of itself, as the first file in it.
type manifest struct {
	Format  int       `json:"format"`
	Made    time.Time `json:"made"`
	Program string    `json:"program"`
	Schema  int       `json:"schema"`
	Install string    `json:"install_id"`
	Members []member  `json:"members"`
}

// member is one file of a backup.
type member struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`

	path string // where it lies while the backup is made
}

func (m manifest) has(name string) bool {
	return slices.ContainsFunc(m.Members, func(one member) bool { return one.Name == name })
}

// sumOf reads a file that is to become a member.
func sumOf(ctx context.Context, name, path string) (member, error) {
	m := member{Name: name, path: path}
	f, err := os.Open(path)
	if err != nil {
		return m, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	h := sha256.New()
	if m.Size, err = io.Copy(h, reading{ctx, f}); err != nil {
		return m, err
	}
	m.SHA256 = hex.EncodeToString(h.Sum(nil))
	return m, nil
}

// writeBackup writes a compressed archive: the manifest and the members.
func writeBackup(ctx context.Context, w io.Writer, m manifest) error {
	// A ledger is mostly text: the fastest level takes a third of the time and leaves
	// a tenth more than the best.
	zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	out := tar.NewWriter(zip)
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := addFile(out, m.Made, manifestName, int64(len(raw)), bytes.NewReader(raw)); err != nil {
		return err
	}
	for _, one := range m.Members {
		f, err := os.Open(one.path)
		if err != nil {
			return err
		}
		err = addFile(out, m.Made, one.Name, one.Size, reading{ctx, f})
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return errors.Join(out.Close(), zip.Close())
}

func addFile(out *tar.Writer, made time.Time, name string, size int64, r io.Reader) error {
	if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: made, Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err := io.Copy(out, r)
	return err
}

// readBackup unpacks a backup into a folder and holds every file against the
// manifest. What is in the folder counts only if there is no error. Errors: invalid
// where the file is damaged, cut off or no backup, conflict where a newer Footnote
// made it.
func readBackup(ctx context.Context, file, into string) (manifest, error) {
	f, err := os.Open(file)
	if err != nil {
		return manifest{}, core.Errorf(core.KindNotFound, "cannot read the backup: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	damaged := func(err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return core.Errorf(core.KindInvalid, "%s is damaged, cut off or no backup of Footnote: %w; nothing was changed", file, err)
	}
	zip, err := gzip.NewReader(reading{ctx, f})
	if err != nil {
		return manifest{}, damaged(err)
	}
	in := tar.NewReader(zip)
	m, err := readManifest(in)
	if err != nil {
		return m, damaged(err)
	}
	if err := m.check(file); err != nil {
		return m, err
	}
	for _, one := range m.Members {
		head, err := in.Next()
		if err != nil {
			return m, damaged(fmt.Errorf("%s is missing: %w", one.Name, err))
		}
		if head.Name != one.Name || head.Size != one.Size || head.Typeflag != tar.TypeReg {
			return m, damaged(fmt.Errorf("it holds %q (kind %q, %d bytes) where the manifest names the file %s of %d bytes",
				head.Name, head.Typeflag, head.Size, one.Name, one.Size))
		}
		sum, err := unpack(in, filepath.Join(into, one.Name))
		var unwritten *os.PathError
		switch {
		case errors.As(err, &unwritten):
			return m, core.Errorf(core.KindDisk, "the backup cannot be unpacked beside the data: %w; make room and run it again", err)
		case err != nil:
			return m, damaged(err)
		case sum != one.SHA256:
			return m, damaged(fmt.Errorf("%s does not have the sum that the manifest tells", one.Name))
		}
	}
	// Reading on to the end checks gzip's own sum and length.
	if _, err := io.Copy(io.Discard, zip); err != nil {
		return m, damaged(err)
	}
	return m, nil
}

func readManifest(in *tar.Reader) (m manifest, err error) {
	head, err := in.Next()
	if err != nil {
		return m, err
	}
	if head.Name != manifestName || head.Size > longestManifest {
		return m, fmt.Errorf("it begins with %q and not with a manifest", head.Name)
	}
	raw, err := io.ReadAll(in)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(raw, &m)
}

// check refuses what this program could not restore, before anything is unpacked.
func (m manifest) check(file string) error {
	newest, err := store.Schema()
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, one := range m.Members {
		if !slices.Contains(backupMembers, one.Name) || seen[one.Name] || one.Size < 0 {
			return core.Errorf(core.KindInvalid, "%s holds a file %q, which no backup has; nothing was changed", file, one.Name)
		}
		seen[one.Name] = true
	}
	switch {
	case m.Format > backupFormat || m.Schema > newest:
		return core.Errorf(core.KindConflict,
			"%s was made by a newer Footnote (%s, schema %d); this one is %s and reads up to schema %d. Restore it with that version or a later one; nothing was changed",
			file, m.Program, m.Schema, thisBuild().Version, newest)
	case m.Format < 1 || !seen[store.FileName]:
		return core.Errorf(core.KindInvalid, "%s holds no ledger; nothing was changed", file)
	}
	return nil
}

func unpack(r io.Reader, path string) (sum string, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, h), r)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Sync(), f.Close())
}

// reading ends with its context.
type reading struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (r reading) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.Read(p)
}
