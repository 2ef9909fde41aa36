// The pages of a feed, one behind the other.
import { createHash } from 'node:crypto';
import { Failed } from '../host/errors.js';

/** How many pages of one feed are read. */
export const maxPages = 1000;

/**
 * Yields every page: {address, sum, etag, next, feed}; feed is undefined where the
 * page is as in known, a Map from addresses to what was yielded then.
 */
export async function* readPages(place, known, signal) {
  const seen = new Set();
  for (let address = place.first; address; ) {
    if (seen.has(address)) throw new Failed('invalid', `the feed's pages go around in a circle: ${address} comes twice`);
    if (seen.size === maxPages) throw new Failed('too_large', `the feed has more than ${maxPages} pages`);
    seen.add(address);
    const page = await readPage(place, address, known.get(address), signal);
    yield page;
    address = page.next;
  }
}

async function readPage(place, address, before, signal) {
  const { bytes, etag, unchanged } = await place.read(address, before?.etag ?? '', signal);
  if (unchanged) return { ...before, address, feed: undefined };
  const sum = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  if (before?.sum === sum) return { ...before, address, etag, feed: undefined };
  const feed = parse(bytes, address);
  const next = feed.next_url ? await place.resolve(String(feed.next_url), address) : '';
  return { address, sum, etag, next, feed };
}

/** Reads a page as a JSON Feed; an error says what it is instead. */
export function parse(bytes, address) {
  let feed;
  try {
    feed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (err) {
    throw new Error(`${address} cannot be read as JSON: ${err.message}`); // it may have broken off: try again
  }
  if (!Array.isArray(feed?.items)) {
    throw new Failed('invalid', `${address} is JSON and no JSON Feed: it has no list of items`);
  }
  return feed;
}
