// A feed on the web. Everything is asked of the feed's own origin and of nothing
// else: a feed names addresses, and whoever writes it must not choose which
// machines are asked from here, or who gets the token.
import { setTimeout as sleep } from 'node:timers/promises';
import { Failed } from '../host/errors.js';

/** How large a page of the feed may be, in bytes. */
export const maxPage = 32 << 20;
const pageTimeout = 60_000; // milliseconds
const pauses = [250, 1000]; // milliseconds before an idempotent request is tried again
const maxRedirects = 5;

export class Web {
  #token;
  #origin;

  constructor(address, token) {
    this.first = new URL(address).href;
    this.#origin = new URL(address).origin;
    this.#token = token;
  }

  /** The absolute address behind a link of a page; an error if it is elsewhere. */
  async resolve(link, from) {
    const url = URL.canParse(link, from) ? new URL(link, from) : undefined;
    if (url?.origin !== this.#origin) throw new Failed('denied', `${link} is not on ${this.#origin}, and only that is asked`);
    return url.href;
  }

  /** Reads a page: {bytes, etag}, or {unchanged: true} where it still has the etag. */
  async read(address, etag, signal) {
    const within = AbortSignal.any([signal, AbortSignal.timeout(pageTimeout)]);
    try {
      const response = await this.#get(address, etag ? { 'If-None-Match': etag } : {}, within);
      if (response.status === 304 && etag) return { unchanged: true, etag };
      const bytes = await readAll(response, address);
      return { bytes, etag: response.headers.get('etag') ?? '' };
    } catch (err) {
      if (signal.aborted || err instanceof Failed || err.http) throw err;
      throw new Error(`${address} could not be read: ${err.cause?.message || err.cause?.code || err.message}`, { cause: err });
    }
  }

  /** Opens an attachment; what is in it is read while the host takes it. */
  async open(address, signal) {
    const response = await this.#get(address, { 'Accept-Encoding': 'identity' }, signal);
    const plain = !response.headers.get('content-encoding');
    return {
      mediaType: response.headers.get('content-type') ?? '',
      size: plain ? Number(response.headers.get('content-length') ?? 0) : 0,
      content: response.body ?? [],
    };
  }

  async #get(address, headers, signal) {
    for (let at = 0; ; at++) {
      let err;
      try {
        const response = await this.#follow(address, headers, signal);
        if (response.ok || (response.status === 304 && headers['If-None-Match'])) return response;
        await response.body?.cancel();
        err = fromStatus(response, address);
        if (![500, 502, 504].includes(response.status)) throw err;
      } catch (caught) {
        if (signal.aborted || caught instanceof Failed || caught.http) throw caught;
        err = caught; // of the network
      }
      if (at === pauses.length) throw err;
      await sleep(pauses[at], undefined, { signal });
    }
  }

  async #follow(address, headers, signal) {
    const all = { Accept: '*/*', 'User-Agent': 'footnote-jsonfeed', ...headers };
    if (this.#token) all.Authorization = `Bearer ${this.#token}`;
    for (let hops = 0; ; hops++) {
      const response = await fetch(address, { headers: all, redirect: 'manual', signal });
      const to = response.headers.get('location');
      if (![301, 302, 303, 307, 308].includes(response.status) || !to) return response;
      await response.body?.cancel();
      if (hops === maxRedirects) throw new Failed('invalid', `${address} was redirected more than ${maxRedirects} times`);
      const next = URL.canParse(to, address) ? new URL(to, address) : undefined;
      if (next?.origin !== this.#origin) {
        throw new Failed('config', `${address} leads to ${to}: if that is right, put the new address into the settings`, { field: 'feed' });
      }
      address = next.href;
    }
  }
}

async function readAll(response, address) {
  const chunks = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxPage) throw new Failed('too_large', `${address} is larger than ${maxPage >> 20} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const kinds = { 401: 'auth', 403: 'denied', 404: 'gone', 410: 'gone', 413: 'too_large', 429: 'busy', 503: 'busy' };

/** The error that an HTTP answer stands for. */
export function fromStatus(response, address, now = Date.now()) {
  const text = `${address} was answered with ${response.status} ${response.statusText}`.trim();
  const kind = kinds[response.status];
  const http = response.status;
  if (!kind) return Object.assign(new Error(text), { http });
  return new Failed(kind, text, { http, after: kind === 'busy' ? pauseOf(response.headers.get('retry-after'), now) : 0 });
}

/** Retry-After in milliseconds: a number of seconds or a date; 0 if there is none. */
export function pauseOf(text, now) {
  if (!text) return 0;
  const milliseconds = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now;
  return milliseconds > 0 ? milliseconds : 0;
}
