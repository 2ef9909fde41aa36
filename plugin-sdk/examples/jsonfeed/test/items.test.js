// Items as documents, from tables.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessOf, documentOf, plain, problemOfID } from '../feed/items.js';

const now = Date.parse('2026-07-01T00:00:00Z');
const page = { address: 'https://a.example/feeds/feed.json', feed: { items: [] } };
const workspace = { workspace: true };
const made = (item, feed = {}) => documentOf({ id: 'x', ...item }, { ...page, feed: { ...page.feed, ...feed } }, workspace, now);

test('fields', async (t) => {
  const rows = [
    { name: 'html wins over text', item: { content_html: '<p>a</p>', content_text: 'a' }, want: { body: '<p>a</p>', media_type: 'text/html' } },
    { name: 'text', item: { content_text: 'a < b' }, want: { body: 'a < b', media_type: 'text/plain' } },
    { name: 'summary where there is nothing else', item: { summary: 's' }, want: { body: 's' } },
    { name: 'title from the text', item: { content_text: 'First line\nsecond' }, want: { title: 'First line' } },
    { name: 'title from html', item: { content_html: '<h1>A &amp; B</h1>\n<p>c</p>' }, want: { title: 'A & B' } },
    { name: 'title from the id', item: {}, want: { title: 'x' } },
    { name: 'long title', item: { title: 'a'.repeat(400) }, want: { title: 'a'.repeat(299) + '…' } },
    { name: 'id that is a number', item: { id: 7 }, want: { id: '7' } },
    { name: 'relative link', item: { url: '../n/1' }, want: { url: 'https://a.example/n/1' } },
    { name: 'link from the home page', item: { url: '/n' }, feed: { home_page_url: 'https://b.example/' }, want: { url: 'https://b.example/n' } },
    { name: 'external link', item: { external_url: 'https://c.example/' }, want: { url: 'https://c.example/' } },
    { name: 'link that opens nothing', item: { url: 'javascript:alert(1)' }, want: { url: '' } },
    { name: 'authors of the item', item: { authors: [{ name: 'Ann' }, { url: 'https://x' }, null] }, want: { authors: ['Ann'] } },
    { name: 'author of version 1', item: { author: { name: 'Ben' } }, want: { authors: ['Ben'] } },
    { name: 'authors of the feed', item: {}, feed: { authors: [{ name: 'Ops' }] }, want: { authors: ['Ops'] } },
    { name: 'authors that are no list', item: { authors: 'Ann' }, want: { authors: [] } },
    { name: 'dates', item: { date_published: '2026-01-01T00:00:00.5Z' }, want: { updated: { seconds: 1767225600, nanos: 500000000 } } },
    { name: 'date in the future', item: { date_modified: '2026-08-01T00:00:00Z' }, want: { updated: undefined } },
    { name: 'date that is none', item: { date_modified: 'soon', date_published: 5 }, want: { created: undefined, updated: undefined } },
    { name: 'tags and language', item: { tags: ['a', 1, 'b'], language: 'de' }, want: { meta: { tags: 'a, b', language: 'de' } } },
    { name: 'half a character', item: { content_text: 'a\ud800b' }, want: { body: 'a\ufffdb' } },
    { name: 'readers of the settings', item: {}, want: { access: workspace } },
    { name: 'readers of its own', item: { _readers: { users: ['a@b.example'] } }, want: { access: { users: ['a@b.example'] } } },
    { name: 'nobody', item: { _readers: {} }, want: { access: {} } },
  ];
  for (const { name, item, feed, want } of rows) {
    await t.test(name, () => {
      const { document, problem } = made(item, feed);
      assert.equal(problem, undefined);
      const got = { ...document, body: document.body.toString() };
      for (const [key, value] of Object.entries(want)) assert.deepEqual(got[key], value, key);
    });
  }
});

test('problems keep what is known', async (t) => {
  const rows = [
    { name: 'large', item: { content_text: 'x'.repeat((1 << 20) + 1) }, kind: 'too_large', access: workspace },
    { name: 'exactly at the limit', item: { content_text: 'x'.repeat(1 << 20) }, kind: undefined, access: workspace },
    { name: 'readers that cannot be understood', item: { content_text: 'a', _readers: 'everybody' }, kind: 'invalid', access: undefined },
    { name: 'both', item: { content_text: 'x'.repeat(2 << 20), _readers: { all: true } }, kind: 'invalid', access: undefined },
    { name: 'too many readers', item: { _readers: { users: Array(200_000).fill('ann@example.com') } }, kind: 'too_large', access: undefined },
  ];
  for (const { name, item, kind, access } of rows) {
    await t.test(name, () => {
      const { document, problem } = made(item);
      assert.equal(problem?.kind, kind);
      assert.deepEqual(document.access, access);
      if (kind) assert.equal(document.body?.length ?? 0, 0);
    });
  }
});

test('readers', async (t) => {
  for (const bad of [null, [], 'public', { public: 'yes' }, { users: 'a@b' }, { users: ['ann'] }, { groups: [''] }, { host: true }]) {
    await t.test(JSON.stringify(bad), () => assert.throws(() => accessOf(bad), { kind: 'invalid' }));
  }
});

test('ids', () => {
  assert.equal(problemOfID('a b/ü'), '');
  assert.match(problemOfID('a\nb'), /control character/);
  assert.match(problemOfID('ü'.repeat(600)), /1 KiB/);
});

test('plain text', async (t) => {
  const rows = [
    ['<p>a</p><p>b</p>', 'a  b'], ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'], ['a<script>x</script>b', 'a b'],
    ['a<SCRIPT>x', 'a'], ['a <b', 'a'], ['&lt;b&gt;', '<b>'], ['', ''], ['a<!-- c -->b', 'a b'],
  ];
  for (const [text, want] of rows) await t.test(text, () => assert.equal(plain(text), want));
  for (const part of ['<script ', '<a', '<script>', '<', '&amp']) {
    await t.test(`in one pass: ${part}`, () => {
      const began = performance.now();
      plain(part.repeat((1 << 20) / part.length));
      assert.ok(performance.now() - began < 2000);
    });
  }
});
