// One item of a feed, as a document. All of it is pure but for the attachments,
// whose links the place resolves.
import { Failed } from '../host/errors.js';

const maxBody = 1 << 20; // bytes
const maxID = 1 << 10; // bytes
const maxRest = 2 << 20; // bytes of everything but the body; a message may take 8 MiB
const maxTitle = 300; // characters

/** The item's id as text, undefined if it has none: such items do not count. */
export function idOf(item) {
  const id = item?.id;
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id !== '' ? id.toWellFormed() : undefined;
}

/** Tells why nothing can be stored under an id, '' if it can. */
export function problemOfID(id) {
  if (Buffer.byteLength(id) > maxID) return 'the id is longer than 1 KiB';
  return /\p{Cc}/u.test(id) ? 'the id holds a control character' : '';
}

/**
 * Makes a document of an item; page is {address, feed}. The result is {document},
 * and where the content or the readers cannot be used {document, problem}: the
 * document then has no body, and no access if that is what is wrong.
 */
export function documentOf(item, page, access, now = Date.now()) {
  const base = [page.feed.home_page_url, page.address].find((a) => /^https?:/i.test(a ?? ''));
  const body = textOf(item.content_html) ?? textOf(item.content_text) ?? textOf(item.summary) ?? '';
  const document = {
    id: idOf(item),
    title: titleOf(item),
    url: absolute(item.url, base) || absolute(item.external_url, base),
    body: Buffer.from(body.toWellFormed()),
    media_type: textOf(item.content_html) === undefined ? 'text/plain' : 'text/html',
    kind: 'page',
    authors: authorsOf(item, page.feed),
    created: stampOf(item.date_published, now),
    updated: stampOf(item.date_modified, now) ?? stampOf(item.date_published, now),
    meta: metaOf(item, page.feed),
    access,
  };
  let problem;
  try {
    if (item._readers !== undefined) document.access = accessOf(item._readers);
  } catch (err) {
    document.access = undefined; // nobody: what an item says may not be overheard
    problem = err;
  }
  return withinLimits(document, problem);
}

const flags = ['public', 'workspace'];
const lists = ['users', 'groups'];

/** Reads {public, workspace, users, groups}, an extension of ours to JSON Feed. */
export function accessOf(readers) {
  if (readers === null || typeof readers !== 'object' || Array.isArray(readers)) {
    throw new Failed('invalid', '_readers is not an object');
  }
  for (const [key, value] of Object.entries(readers)) {
    if (flags.includes(key) && typeof value === 'boolean') continue;
    const texts = lists.includes(key) && Array.isArray(value) && value.every((v) => typeof v === 'string' && v !== '');
    if (texts && (key !== 'users' || value.every((v) => v.includes('@')))) continue;
    throw new Failed('invalid', `_readers.${key} cannot be understood, so nobody may read this`);
  }
  return { ...readers };
}

function withinLimits(document, problem) {
  if (document.body.length > maxBody) problem ??= new Failed('too_large', 'the content is larger than 1 MiB');
  const { body, ...rest } = document;
  if (Buffer.byteLength(JSON.stringify(rest)) > maxRest) {
    problem ??= new Failed('too_large', 'title, authors, tags and readers take more than 2 MiB');
    return { document: { id: document.id, title: document.title }, problem }; // and so nobody reads it
  }
  return problem ? { document: { ...rest, body: Buffer.alloc(0) }, problem } : { document };
}

function titleOf(item) {
  const body = textOf(item.content_text) ?? textOf(item.content_html) ?? '';
  const title = textOf(item.title) ?? plain(body.slice(0, 10 * maxTitle)).split('\n')[0];
  const line = title.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > maxTitle ? line.slice(0, maxTitle - 1) + '…' : line || idOf(item);
}

/**
 * The words of a text that may be HTML, for titles and snippets. It goes through
 * the text once: one that is made to be slow must not stop the process.
 */
export function plain(text) {
  const parts = [];
  let at = 0;
  for (let open; (open = text.indexOf('<', at)) >= 0; ) {
    parts.push(text.slice(at, open));
    at = open + 1;
    if (!/[a-z/!]/i.test(text[at] ?? '')) {
      parts.push('<'); // no tag, as in a < b
      continue;
    }
    const close = text.indexOf('>', open);
    if (close < 0) return unescape(parts); // it never ends
    const silent = /^(script|style)\b/i.exec(text.slice(at, at + 7))?.[1];
    const end = silent ? text.indexOf(`</${silent}`, close) : open;
    if (end < 0) return unescape(parts);
    at = text.indexOf('>', end) + 1;
    if (at === 0) return unescape(parts);
    parts.push(' ');
  }
  parts.push(text.slice(at));
  return unescape(parts);
}

function unescape(parts) {
  return parts.join('').replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name) => entities[name]).trim();
}

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };

function authorsOf(item, feed) {
  const own = item.authors ?? (item.author && [item.author]);
  const list = own ?? feed.authors ?? (feed.author && [feed.author]) ?? [];
  return Array.isArray(list) ? list.map((a) => textOf(a?.name)).filter(Boolean).slice(0, 100) : [];
}

function metaOf(item, feed) {
  const meta = {};
  const tags = Array.isArray(item.tags) ? item.tags.filter((t) => typeof t === 'string') : [];
  if (tags.length > 0) meta.tags = tags.join(', ').slice(0, 4096);
  const language = textOf(item.language) ?? textOf(feed.language);
  if (language) meta.language = language.slice(0, 100);
  return meta;
}

function textOf(value) {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An address that a person can open, '' for any other. */
function absolute(link, base) {
  const url = typeof link === 'string' && link !== '' && URL.canParse(link, base) ? new URL(link, base) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url.href : '';
}

/** A date of the feed; nothing was written in the future, so such a date is none. */
function stampOf(text, now) {
  const time = typeof text === 'string' ? Date.parse(text) : NaN;
  if (Number.isNaN(time) || time > now || time < Date.parse('0001-01-01T00:00:00Z')) return undefined;
  return { seconds: Math.floor(time / 1000), nanos: (((time % 1000) + 1000) % 1000) * 1_000_000 };
}
