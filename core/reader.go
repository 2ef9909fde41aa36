package core

// AccessChange is one event of a stream that tells who may read what apart from
// the documents: Readers, FolderReaders, FoldersWhole, GroupMembers, GroupRemoval,
// Checkpoint or AccessWhole.
// Changes are delivered at least once.
type AccessChange interface{ accessChange() }

// Readers replaces the access of one document and leaves its content alone.
type Readers struct {
	ExternalID string
	Access     Access
	HostAccess bool // see Upsert.HostAccess
}

// GroupRemoval says that a group of the source is no more.
type GroupRemoval struct{ Name string }

// AccessWhole comes last, once the source told all that it had to tell. Without
// it the stream broke off: what came before counts, and nothing else changes.
type AccessWhole struct {
	AllGroups    bool // every group was told: one that was not named is no more
	AllDocuments bool // the readers of every document were told
}

func (Readers) accessChange()      {}
func (GroupMembers) accessChange() {}
func (GroupRemoval) accessChange() {}
func (Checkpoint) accessChange()   {}
func (AccessWhole) accessChange()  {}
