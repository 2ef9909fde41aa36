// The cursor, links, waiting and searching, from tables; and a feed on the web.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { JSONFeed } from '../feed/connector.js';
import { readCursor, writeCursor } from '../feed/cursor.js';
import { Files } from '../feed/files.js';
import { mayRead, score, snippet, within, wordsOf } from '../feed/search.js';
import { Web, pauseOf } from '../feed/web.js';
import { Out, maxCursor } from '../host/stream.js';

const never = new AbortController().signal;

test('cursor', async (t) => {
  const known = new Map([['a', { sum: 's', etag: 'e', next: 'b' }], ['b', { sum: 't', etag: '', next: '' }]]);
  await t.test('comes back', () => assert.deepEqual(readCursor(writeCursor(known, 'x'), 'x').known, known));
  await t.test('of other settings', () => assert.equal(readCursor(writeCursor(known, 'x'), 'y').known.size, 0));
  for (const text of ['', '{', 'null', '[]', '{"version": 0}', '{"version": 1, "shape": "x"}']) {
    await t.test(`not ours: ${text}`, () => assert.deepEqual(readCursor(Buffer.from(text), 'x'), { known: new Map(), part: undefined }));
  }
  await t.test('a page in part is not known in its old state', () => {
    const part = { address: 'a', sum: 'new', count: 500 };
    const got = readCursor(writeCursor(known, 'x', part), 'x');
    assert.deepEqual([...got.known.keys()], ['b']);
    assert.deepEqual(got.part, part);
  });
  await t.test('keeps the limit', () => {
    const many = new Map(Array.from({ length: 3000 }, (_, i) => ['https://a.example/' + 'ü'.repeat(50) + i, { sum: 's', etag: 'e', next: 'n' }]));
    const cursor = writeCursor(many, 'x');
    assert.ok(cursor.length <= maxCursor && readCursor(cursor, 'x').known.size > 100);
  });
});

test('pauses', async (t) => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const rows = [['2', 2000], ['Thu, 01 Jan 2026 00:00:05 GMT', 5000], ['Thu, 01 Jan 2026 00:00:00 GMT', 0], ['soon', 0], ['', 0], [null, 0], ['-1', 0]];
  for (const [text, want] of rows) await t.test(String(text), () => assert.equal(pauseOf(text, now), want));
});

test('links on the web', async (t) => {
  const web = new Web('https://a.example/feeds/feed.json', '');
  for (const link of ['older.json', '/x', 'https://a.example/y', '//a.example/z']) {
    await t.test(link, async () => assert.ok((await web.resolve(link, web.first)).startsWith('https://a.example/')));
  }
  for (const link of ['https://b.example/', 'http://a.example/', '//b.example/', 'https://a.example:8443/', 'file:///etc/passwd', 'http://169.254.169.254/', 'https://']) {
    await t.test(link, () => assert.rejects(web.resolve(link, web.first), { kind: 'denied' }));
  }
});

test('links beside a file', async (t) => {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'jsonfeed-'));
  t.after(() => rm(dir, { recursive: true }));
  await writeFile(path.join(dir, 'a b.txt'), 'x');
  await symlink('/etc', path.join(dir, 'out'));
  const files = new Files(path.join(dir, 'feed.json'));
  assert.equal(await files.resolve('a%20b.txt', files.first), path.join(dir, 'a b.txt'));
  assert.equal(await files.resolve('later.txt', files.first), path.join(dir, 'later.txt'));
  for (const link of ['/etc/passwd', '../x', 'out/passwd', 'a/../../x', 'file:///etc/passwd', 'https://a.example/']) {
    await t.test(link, () => assert.rejects(files.resolve(link, files.first), { kind: 'denied' }));
  }
});

test('viewers', async (t) => {
  const rows = [
    [{ public: true }, '', true], [{ workspace: true }, '', false], [{ workspace: true }, 'a@b', true], [{ host: true }, '', false],
    [{ users: ['Ann@b'] }, 'ann@b', true], [{ users: ['ann@b'] }, 'ben@b', false], [{ groups: ['g'] }, '', false], [{}, 'a@b', false], [undefined, 'a@b', false],
  ];
  for (const [access, email, want] of rows) await t.test(JSON.stringify([access, email]), () => assert.equal(mayRead(access, email), want));
});

test('searching', () => {
  const document = { title: 'How the backup works', body: Buffer.from('<p>Every night a copy is made.</p>'), updated: { seconds: 10, nanos: 5_000_000 } };
  assert.deepEqual(wordsOf('Backup, backup & Größe 2'), ['backup', 'größe', '2']);
  assert.ok(score(['backup'], document) > score(['copy'], document));
  assert.equal(score(['tape'], document), 0);
  assert.equal(score([], document), 0);
  assert.equal(snippet(['copy'], document), 'Every night a copy is made.');
  for (const [from, to, want] of [[undefined, undefined, true], [10_005, 10_005, true], [10_006, undefined, false], [undefined, 10_004, false]]) {
    assert.equal(within(document, from, to), want);
  }
  assert.equal(within({}, 0, undefined), false);
});

// collect runs a sync and returns its events.
async function collect(source, cursor = Buffer.alloc(0)) {
  const events = [];
  await source.sync(cursor, new Out(async (event) => events.push(event)), never);
  const documents = events.filter((e) => e.document).map((e) => e.document.id);
  return { events, documents, cursor: events.findLast((e) => e.checkpoint).checkpoint.cursor };
}

async function server(t, handler) {
  const s = http.createServer(handler).listen(0, '127.0.0.1');
  await once(s, 'listening');
  t.after(() => { s.closeAllConnections(); s.close(); });
  return `http://127.0.0.1:${s.address().port}`;
}

const quiet = { log: { debug() {} } };

test('a feed on the web', async (t) => {
  const pages = { '/': { items: [{ id: 'b' }, {}], next_url: '/2' }, '/2': { items: [{ id: 'a' }] } };
  let asked = [];
  let refused = false;
  const address = await server(t, (request, response) => {
    asked.push([request.url, request.headers['if-none-match'], request.headers.authorization]);
    if (request.url === '/away') return response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
    if (request.url === '/moved') return response.writeHead(301, { Location: '/' }).end();
    if (refused) return response.writeHead(429, { 'Retry-After': '7' }).end();
    const body = JSON.stringify(pages[request.url]);
    const etag = `"${Buffer.from(body).toString('base64url')}"`;
    if (request.headers['if-none-match'] === etag) return response.writeHead(304).end();
    response.writeHead(200, { ETag: etag }).end(body);
  });
  const source = new JSONFeed({ feed: address + '/', access: 'workspace', token: 'hunter2' }, quiet);

  const first = await collect(source);
  assert.deepEqual(first.documents, ['b', 'a']);
  assert.ok(first.events.some((e) => e.note));
  assert.ok(asked.every(([, , authorization]) => authorization === 'Bearer hunter2'));

  asked = [];
  const second = await collect(source, first.cursor);
  assert.deepEqual(second.documents, []);
  assert.ok(asked.length === 2 && asked.every(([, etag]) => etag), 'pages are asked for with their etag');

  pages['/2'].items.push({ id: 'c', _readers: { public: true } });
  assert.deepEqual((await collect(source, second.cursor)).documents, ['a', 'c']);
  const other = new JSONFeed({ feed: address + '/', access: 'public' }, quiet);
  assert.deepEqual((await collect(other, second.cursor)).documents, ['b', 'a', 'c'], 'other readers by the settings');

  assert.deepEqual((await collect(new JSONFeed({ feed: address + '/moved', access: 'public' }, quiet))).documents, ['b', 'a', 'c']);
  await assert.rejects(collect(new JSONFeed({ feed: address + '/away', access: 'public' }, quiet)), { kind: 'config', field: 'feed' });
  refused = true;
  await assert.rejects(collect(source), { kind: 'busy', after: 7000 });
  pages['/2'].next_url = '/';
  refused = false;
  await assert.rejects(collect(source), /circle/);
});

test('a sync that stops in the middle of a page', async (t) => {
  const items = Array.from({ length: 1200 }, (_, i) => ({ id: `i${i}` }));
  const address = await server(t, (_, response) => response.end(JSON.stringify({ items })));
  const source = new JSONFeed({ feed: address + '/', access: 'workspace' }, quiet);
  const { events, cursor } = await collect(source);
  const part = events.find((e) => e.checkpoint).checkpoint.cursor;
  assert.deepEqual((await collect(source, part)).documents, items.slice(500).map((i) => i.id));
  assert.deepEqual((await collect(source, cursor)).documents, []);
  items[3].title = 'new';
  assert.equal((await collect(source, part)).documents.length, 1200, 'the page is another one now');
});

test('a listing of a feed that does not hold still', async (t) => {
  let requests = 0;
  let moving = true;
  const address = await server(t, (request, response) => {
    if (moving) requests++;
    const next_url = request.url === '/' ? '/2' : undefined;
    response.end(JSON.stringify({ items: [{ id: request.url + (request.url === '/' ? '' : requests) }], next_url }));
  });
  const source = new JSONFeed({ feed: address + '/', access: 'workspace' }, quiet);
  const list = () => gather(source.list(never));
  await assert.rejects(list(), /changed each time/);
  moving = false;
  assert.equal((await list()).length, 2);
});

async function gather(items) {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
}

test('settings that cannot be', async (t) => {
  for (const feed of ['feed.json', 'ftp://a.example/', 'https://', 'https://ann:pw@a.example/', '~/feed.json']) {
    await t.test(feed, () => assert.throws(() => new JSONFeed({ feed, access: 'workspace' }, quiet), (err) => err.violations[0].field === 'feed'));
  }
});
