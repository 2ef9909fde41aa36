package plugins

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// unpack takes the program out of a downloaded file: a tar.gz or zip archive, or
// the program itself. Of an archive one file is written, at a place of ours; but
// one that holds anything that would be dangerous to unpack is refused as a whole.
func unpack(ctx context.Context, file, name, tmp string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", core.Errorf(core.KindDisk, "the download cannot be read: %w", err)
	}
	defer f.Close()
	magic := make([]byte, 4)
	if _, err := io.ReadFull(f, magic); err != nil {
		return "", core.Errorf(core.KindInvalid, "the download is no archive and no program: it has less than 4 bytes")
	}
	var walk walker
	switch {
	case magic[0] == 0x1f && magic[1] == 0x8b:
		walk = walkTar
	case string(magic) == "PK\x03\x04":
		walk = walkZip
	default:
		return file, nil
	}
	chosen, err := chooseProgram(ctx, walk, f, name)
	if err != nil {
		return "", err
	}
	to := filepath.Join(tmp, "program")
	err = walk(f, func(e entry) error {
		if e.name != chosen {
			return nil
		}
		if err := writeProgram(ctx, to, e.content); err != nil {
			return err
		}
		return errEnough
	})
	if err != nil && !errors.Is(err, errEnough) {
		return "", badArchive(ctx, err)
	}
	return to, nil
}

// walker hands every file of an archive to each, after it was found harmless.
type walker func(f *os.File, each func(entry) error) error

type entry struct {
	name    string
	mode    fs.FileMode
	content io.Reader
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

// chooseProgram finds the one file that can be the program: the only one that is
// executable, or else the one that is called as the connector is.
func chooseProgram(ctx context.Context, walk walker, f *os.File, name string) (string, error) {
	var programs, files []string
	seen := map[string]bool{}
	err := walk(f, func(e entry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if seen[e.name] {
			return fmt.Errorf("it holds %q twice", e.name)
		}
		seen[e.name] = true
		files = append(files, e.name)
		if e.mode&0o111 != 0 {
			programs = append(programs, e.name)
		}
		_, err := io.Copy(io.Discard, e.content)
		return err
	})
	if err != nil {
		return "", badArchive(ctx, err)
	}
	if len(programs) == 0 {
		programs = files
	}
	if len(programs) == 1 {
		return programs[0], nil
	}
	var named []string
	for _, p := range programs {
		if base := strings.TrimPrefix(path.Base(p), "footnote-"); base == strings.TrimPrefix(name, "footnote-") {
			named = append(named, p)
		}
	}
	if len(named) == 1 {
		return named[0], nil
	}
	return "", core.Errorf(core.KindInvalid,
		"it is not clear which file of the archive is the connector %q: %s. Report this to its author: one file has to be executable and called that. Nothing was installed",
		name, cut(oneLine(strings.Join(programs, ", ")), 300))
}

func badArchive(ctx context.Context, err error) error {
	var known *core.Error
	switch {
	case ctx.Err() != nil:
		return stopped(ctx, "unpacking the archive")
	case errors.As(err, &known):
		return err
	}
	return core.Errorf(core.KindInvalid, "the archive is refused: %w. Nothing was installed: report this to its author", err)
}

// harmless refuses what an archive of a connector has no use for.
func harmless(name string, mode fs.FileMode, count int) error {
	switch {
	case count > maxEntries:
		return fmt.Errorf("it holds more than %d files", maxEntries)
	case !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\\x00"):
		return fmt.Errorf("it holds %q, which leads out of its folder", cut(oneLine(name), 100))
	case mode&fs.ModeSymlink != 0:
		return fmt.Errorf("it holds %q, which is a link", cut(oneLine(name), 100))
	case !mode.IsRegular() && !mode.IsDir():
		return fmt.Errorf("it holds %q, which is neither a file nor a folder", cut(oneLine(name), 100))
	}
	return nil
}

func walkTar(f *os.File, each func(entry) error) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	room := &bounded{from: unzipped, left: maxProgram}
	archive := tar.NewReader(room)
	for count := 1; ; count++ {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		mode := h.FileInfo().Mode()
		if h.Typeflag == tar.TypeLink { // whose mode is that of a file
			mode |= fs.ModeSymlink
		}
		if err := harmless(h.Name, mode, count); err != nil {
			return err
		}
		if mode.IsDir() {
			continue
		}
		if err := each(entry{name: path.Clean(h.Name), mode: mode, content: archive}); err != nil {
			return err
		}
	}
}

func walkZip(f *os.File, each func(entry) error) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(f, info.Size())
	if err != nil {
		return err
	}
	room := &bounded{left: maxProgram}
	for n, file := range archive.File {
		if err := harmless(file.Name, file.Mode(), n+1); err != nil {
			return err
		}
		if file.Mode().IsDir() {
			continue
		}
		content, err := file.Open()
		if err != nil {
			return err
		}
		room.from = content
		err = each(entry{name: path.Clean(file.Name), mode: file.Mode(), content: room})
		if err := errors.Join(err, content.Close()); err != nil {
			return err
		}
	}
	return nil
}

// bounded fails once more was read from an archive than a connector can be large:
// a few bytes can unpack to any number.
type bounded struct {
	from io.Reader
	left int64
}

// Read reads while there is room.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("it unpacks to more than %s", sized(maxProgram))
	}
	return n, err
}
