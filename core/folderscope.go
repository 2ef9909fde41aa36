package core

import "slices"

// AnyDepth is the Levels of a FolderScope without a bound.
const AnyDepth = -1

// mostLevels is from where on levels are no bound either.
const mostLevels = 100

// FolderScope is a folder with what lies in it: Levels 0 is what stands in the
// folder itself, each further one the folders below, AnyDepth all of them. Folders
// are compared whole, never by how they begin.
type FolderScope struct {
	Folder string // as FolderID writes it
	Levels int
}

// Holds tells whether a document lies in the scope. The list of its folders has
// the outermost first, and each counts once, where it stands last.
func (s FolderScope) Holds(folders []string) bool {
	level := LevelsBelow(folders, s.Folder)
	return level >= 0 && (s.Unbounded() || level <= s.Levels)
}

// Unbounded tells whether all folders below belong to the scope: below 0 and from
// 100 levels on.
func (s FolderScope) Unbounded() bool { return s.Levels < 0 || s.Levels >= mostLevels }

// LevelsBelow is how many folders lie between a document and one of its folders,
// 0 where it stands in that folder itself; -1 where it does not lie in it.
func LevelsBelow(folders []string, folder string) int {
	once := FoldersOnce(folders)
	at := slices.Index(once, folder)
	if at < 0 {
		return -1
	}
	return len(once) - 1 - at
}

// FoldersOnce is a list of folders with each at its last place; the list itself where
// none is in it twice.
func FoldersOnce(folders []string) []string {
	again := false
	for i, f := range folders {
		again = again || slices.Contains(folders[i+1:], f)
	}
	if !again {
		return folders
	}
	var out []string
	for i, f := range folders {
		if !slices.Contains(folders[i+1:], f) {
			out = append(out, f)
		}
	}
	return out
}
