// The connector: what Footnote asks of it, answered for a JSON Feed.
import path from 'node:path';
import { createHash } from 'node:crypto';
import { Failed, badSettings, failureOf } from '../host/errors.js';
import { filesOf, openFile } from './attachments.js';
import { readCursor, writeCursor } from './cursor.js';
import { Files } from './files.js';
import { documentOf, idOf, problemOfID } from './items.js';
import { readPages } from './pages.js';
import { mayRead, score, snippet, within, wordsOf } from './search.js';
import { Web } from './web.js';

const accesses = { workspace: { workspace: true }, public: { public: true }, host: { host: true } };
/** How many pages a search reads: it has three seconds. */
const searchPages = 3;
/** How many items of a page are sent before the next checkpoint. */
const perCheckpoint = 500;
/** How often a feed is read until it holds still for a listing. */
const listTries = 4;

/** JSONFeed serves a feed from the web or from a file. */
export class JSONFeed {
  static title = 'jsonfeed';
  static version = '0.1.0';
  static help = 'Reads a JSON Feed, from the web or from a file: every item is a document, and its attachments come along. ' +
    'An item may name its own readers in _readers, with the keys public, workspace, users and groups.';
  static schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      feed: { type: 'string', description: 'address of the feed (https://…), or the path of a file' },
      access: {
        type: 'string', enum: Object.keys(accesses), default: 'workspace',
        description: 'who may read items that do not say so themselves: workspace (the team), public (anyone), or host (as the source is set up)',
      },
      token: { type: 'string', format: 'password', writeOnly: true, description: 'bearer token for the feed; it is sent to the feed\'s own host only' },
    },
    required: ['feed'],
    additionalProperties: false,
  };

  #place;
  #access;
  #shape;
  #log;

  /** Takes settings that fit the schema. It asks nothing of the network. */
  constructor({ feed, access, token }, { log }) {
    this.#place = placeOf(feed, token);
    this.#access = accesses[access];
    this.#shape = createHash('sha256').update(JSON.stringify([feed, access])).digest('base64url').slice(0, 16);
    this.#log = log;
  }

  /** Tries the settings; returns warnings for the owner. */
  async check(signal) {
    for await (const { feed } of readPages(this.#place, new Map(), signal)) {
      const warnings = [];
      if (!String(feed.version).startsWith('https://jsonfeed.org/version/')) warnings.push('the feed does not say that it is a JSON Feed');
      const nameless = feed.items.filter((item) => idOf(item) === undefined).length;
      if (nameless > 0) warnings.push(`${nameless} of ${feed.items.length} items of the first page have no id and are left out`);
      return warnings;
    }
    return [];
  }

  /** Sends the items of all pages that are not as the cursor has them. */
  async sync(cursor, out, signal) {
    const { known, part } = readCursor(cursor, this.#shape);
    const now = new Map();
    let nameless = 0;
    for await (const page of readPages(this.#place, known, signal)) {
      const items = page.feed?.items ?? [];
      const { address, sum } = page;
      const sent = part?.address === address && part.sum === sum ? part.count : 0;
      for (let count = sent; count < items.length; count++) {
        if (count > sent && count % perCheckpoint === 0) {
          await out.checkpoint(writeCursor(new Map([...known, ...now]), this.#shape, { address, sum, count }));
        }
        if (idOf(items[count]) === undefined) nameless++;
        else await this.#send(items[count], page, out);
      }
      now.set(address, page);
      // The pages behind this one are as they were told before, until they are read.
      await out.checkpoint(writeCursor(new Map([...known, ...now]), this.#shape));
    }
    if (nameless > 0) await out.note(`${nameless} items have no id and were left out`);
    await out.checkpoint(writeCursor(now, this.#shape));
    this.#log.debug('the feed was read', { pages: now.size });
  }

  async #send(item, page, out) {
    const id = idOf(item);
    const why = problemOfID(id);
    if (why) {
      await out.failure(failureOf(id.slice(0, 200), id.slice(0, 200), new Failed('invalid', why)));
      return;
    }
    const { document, problem } = documentOf(item, page, this.#access);
    if (problem) {
      // What is known of it goes along: its readers above all.
      await out.failure(failureOf(id, document.title, problem, document));
      return;
    }
    document.files = await filesOf(item, page, this.#place);
    await out.document(document);
  }

  /**
   * Names all items. Pages move while they are read when items come and go, and an
   * item that slips from one to the other must not count as gone: more than one page
   * counts once two readings in a row agree.
   */
  async *list(signal) {
    let before = '';
    for (let tries = 0; tries < listTries; tries++) {
      const items = new Map();
      const sums = [];
      for await (const page of readPages(this.#place, new Map(), signal)) {
        sums.push(page.sum);
        for (const item of page.feed.items) {
          const id = idOf(item);
          if (id !== undefined && !problemOfID(id)) items.set(id, revisionOf(item));
        }
      }
      if (sums.length === 1 || sums.join() === before) {
        for (const [id, revision] of items) yield { id, revision };
        return;
      }
      before = sums.join();
    }
    throw new Error('the feed changed each time that it was read, so what is in it cannot be told');
  }

  /** Opens an attachment. */
  fetch(ref, signal) {
    return openFile(ref, this.#place, signal);
  }

  /** Looks for words in the newest pages. */
  async search({ text, limit, from, to, email }, signal) {
    const words = wordsOf(text);
    const hits = [];
    let pages = 0;
    for await (const page of readPages(this.#place, new Map(), signal)) {
      for (const item of page.feed.items) {
        if (idOf(item) === undefined || problemOfID(idOf(item))) continue;
        const { document, problem } = documentOf(item, page, this.#access);
        if (problem || !mayRead(document.access, email) || !within(document, from, to)) continue;
        const fits = score(words, document);
        if (fits > 0) hits.push({ document: { ...document, body: Buffer.alloc(0) }, score: fits, snippet: snippet(words, document) });
      }
      if (++pages === searchPages) break;
    }
    return hits.sort((a, b) => b.score - a.score).slice(0, limit);
  }
}

function placeOf(feed, token) {
  if (/^https?:\/\//i.test(feed) && URL.canParse(feed)) {
    const url = new URL(feed);
    if (url.username || url.password) throw wrongFeed('an address with a name or password in it ends up in logs: put a token into token');
    return new Web(feed, token);
  }
  if (path.isAbsolute(feed)) return new Files(feed);
  throw wrongFeed(`${JSON.stringify(feed)} is neither an address such as https://example.com/feed.json nor an absolute path`);
}

function wrongFeed(description) {
  return badSettings([{ field: 'feed', description }]);
}

/** Changes when the item does; '' where it is nested too deeply to tell. */
function revisionOf(item) {
  try {
    return createHash('sha256').update(JSON.stringify(item)).digest('base64url').slice(0, 16);
  } catch {
    return '';
  }
}
