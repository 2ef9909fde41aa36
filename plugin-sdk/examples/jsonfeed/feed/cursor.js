// The cursor: which pages were sent, and in which state. A feed has no other way
// to tell what changed; its dates are no proof, because a new reader need not
// come with one.
import { maxCursor } from '../host/stream.js';

/** Grows when documents are made in another way, so that all come again. */
const version = 1;

/**
 * Reads a cursor into {known, part}: a Map of pages by address, and the page of
 * which only the first items were sent, as {address, sum, count}. One of another
 * version, of other settings (the shape) or that cannot be read is empty: then all
 * is sent again.
 */
export function readCursor(bytes, shape) {
  const nothing = { known: new Map(), part: undefined };
  let cursor;
  try {
    cursor = JSON.parse(bytes.toString('utf8'));
  } catch {
    return nothing;
  }
  if (cursor?.version !== version || cursor.shape !== shape || !Array.isArray(cursor.pages)) return nothing;
  const known = new Map(cursor.pages.map(([address, sum, etag, next]) => [address, { sum, etag, next }]));
  return { known, part: cursor.part };
}

/**
 * Writes a cursor. Pages for which there is no room are left out, and come again.
 * A page that is sent in part is no longer known in its old state: if it went back
 * to that, the new items would stay.
 */
export function writeCursor(known, shape, part) {
  const pages = [];
  let room = maxCursor - 1024;
  for (const [address, { sum, etag, next }] of known) {
    if (address === part?.address) continue;
    const page = [address, sum, etag, next];
    room -= Buffer.byteLength(JSON.stringify(page)) + 1;
    if (room < 0) break;
    pages.push(page);
  }
  return Buffer.from(JSON.stringify({ version, shape, pages, part }));
}
