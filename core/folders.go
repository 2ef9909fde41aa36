package core

// FolderReaders says who may read the documents of a folder, all of them alike. It
// holds until the folder is told of again, also for documents that come later.
type FolderReaders struct {
	Folder string // the connector's id, as Document.Folders has it
	Access Access
}

// FoldersWhole says that every folder was named since the beginning of the stream:
// what lies in one that was not, and was named before, nobody may read.
type FoldersWhole struct{}

func (FolderReaders) accessChange() {}
func (FoldersWhole) accessChange()  {}

// ToldFolders is who may read what lies in which folder, as a source told last.
type ToldFolders map[string]Access

// Of is who may read a document that lies in the folders, outermost first, and the
// folder that says so: the innermost that was told of, unless nobody may read what
// lies in another one. ok is false where none was told of.
func (t ToldFolders) Of(folders []string) (folder string, access Access, ok bool) {
	for _, f := range folders {
		a, told := t[f]
		if !told {
			continue
		}
		if folder, access, ok = f, a, true; len(a) == 0 {
			break
		}
	}
	return folder, access, ok
}

// Within is what is left of the access where no more may read than the limit says,
// as far as principals tell: a group that lies in another one is not known here.
func (a Access) Within(limit Access) Access {
	switch {
	case limit.Allows(nil):
		return a
	case a.Allows(nil):
		return limit
	}
	out := Access{}
	for _, p := range a {
		if limit.Allows([]Principal{p}) {
			out = append(out, p)
		}
	}
	return out
}
