// Package where reads conditions on what is known of documents, such as
//
//	status = "open" and priority >= 2 and not (team in ("hr", "it") or updated < 2026-01-01)
//
// into core.Where. Values become values, never text of another language.
//
// A condition names a field, an operator and a value: = != < <= > >=, in (…),
// contains, and exists, which takes no value; in, contains and exists may have a
// not before them. Fields are keys of metadata, and source, title, kind, updated and
// created; a key in backquotes is always one of metadata. Values are texts in
// quotation marks, numbers, days such as 2026-01-31, moments such as
// 2026-01-31T10:00:00Z, true and false. "not" binds closer than "and", "and" closer
// than "or".
package where
