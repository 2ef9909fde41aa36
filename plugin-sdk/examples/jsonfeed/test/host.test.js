// What every connector needs: errors, settings, frames, the handshake's parts.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import protoLoader from '@grpc/proto-loader';
import path from 'node:path';
import { status } from '@grpc/grpc-js';
import { ownCertificate } from '../host/certificate.js';
import { Failed, badSettings, failureOf, toStatus, wellFormed } from '../host/errors.js';
import { checkVersion } from '../host/serve.js';
import { readSettings } from '../host/settings.js';
import { frameSize, sendFile, sendListing } from '../host/stream.js';

const statuses = protoLoader.loadSync('status.proto', { includeDirs: [path.join(import.meta.dirname, '..', 'proto')], keepCase: true, longs: Number, defaults: true });

function detailsOf(err) {
  const [bytes] = err.metadata.get('grpc-status-details-bin');
  const { code, details: [any] } = statuses['google.rpc.Status'].deserialize(bytes);
  return { code, name: any.type_url, detail: statuses[any.type_url.split('/')[1]].deserialize(any.value) };
}

test('errors as statuses', async (t) => {
  const rows = [
    ['auth', status.UNAUTHENTICATED], ['denied', status.PERMISSION_DENIED], ['gone', status.NOT_FOUND],
    ['invalid', status.FAILED_PRECONDITION], ['too_large', status.OUT_OF_RANGE],
  ];
  for (const [kind, code] of rows) {
    await t.test(kind, () => {
      const got = toStatus(new Failed(kind, 'why'));
      assert.deepEqual([got.code, got.details], [code, 'why']);
    });
  }
  await t.test('any other', () => assert.equal(toStatus(new Error('x')).code, status.UNKNOWN));
  await t.test('stopped', () => assert.equal(toStatus(new DOMException('x', 'AbortError')).code, status.CANCELLED));
  await t.test('no error at all', () => assert.equal(toStatus(undefined).code, status.UNKNOWN));
  await t.test('half a character', () => assert.equal(toStatus(new Error('a\ud800')).details, 'a\ufffd'));
  await t.test('busy', () => {
    const { name, detail } = detailsOf(toStatus(new Failed('busy', 'x', { after: 1500 })));
    assert.equal(name, 'type.googleapis.com/google.rpc.RetryInfo');
    assert.deepEqual(detail.retry_delay, { seconds: 1, nanos: 500_000_000 });
  });
  await t.test('settings', () => {
    const { code, detail } = detailsOf(toStatus(badSettings([{ field: 'feed', description: 'no' }])));
    assert.equal(code, status.INVALID_ARGUMENT);
    assert.deepEqual(detail.field_violations, [{ field: 'feed', description: 'no' }]);
  });
});

test('failures', () => {
  const got = failureOf('i', '', new Failed('busy', 'x', { after: 2000, http: 429 }), { id: 'i' });
  assert.deepEqual(got, {
    id: 'i', title: 'i', kind: 'FAILURE_KIND_BUSY', detail: 'x', http_status: 429, retry_after: { seconds: 2, nanos: 0 }, document: { id: 'i' },
  });
  assert.equal(failureOf('i', 't', new Error('x')).kind, 'FAILURE_KIND_UNSPECIFIED');
});

test('texts that are no UTF-8', () => {
  const body = Buffer.from('x');
  assert.deepEqual(wellFormed({ a: ['\udc00'], b: { '\ud800': 1 }, body, n: null }), { a: ['\ufffd'], b: { '\ufffd': 1 }, body, n: null });
});

const schema = {
  properties: {
    feed: { type: 'string' }, access: { type: 'string', enum: ['a', 'b'], default: 'a' }, size: { type: 'integer' }, rate: { type: 'number' },
    list: { type: 'array' }, on: { type: 'boolean' }, token: { type: 'string', writeOnly: true },
  },
  required: ['feed'],
};

test('settings', async (t) => {
  const rows = [
    { config: '{"feed": "x"}', secrets: { token: 's' }, want: { feed: 'x', access: 'a', token: 's' } },
    { config: '{"feed": "x", "size": 1, "rate": 2, "list": [], "on": false}', want: { feed: 'x', access: 'a', size: 1, rate: 2, list: [], on: false } },
    { config: '', fields: ['feed'] },
    { config: '{"feed": ""}', fields: ['feed'] },
    { config: '{"feed": null}', fields: ['feed'] },
    { config: '{"feed": 1, "acess": "a"}', fields: ['acess', 'feed'] },
    { config: '{"feed": "x", "access": "c"}', fields: ['access'] },
    { config: '{"feed": "x", "size": 1.5}', fields: ['size'] },
    { config: '{"feed": "x", "list": {}}', fields: ['list'] },
    { config: '[]', fields: [''] },
    { config: '{', fields: [''] },
    { config: '{"feed": "x", "constructor": 1}', fields: ['constructor'] },
  ];
  for (const { config, secrets, want, fields } of rows) {
    await t.test(config || 'nothing', () => {
      if (fields) {
        assert.throws(() => readSettings(schema, Buffer.from(config), secrets), (err) => {
          assert.deepEqual(err.violations.map((v) => v.field), fields);
          return err.kind === 'config';
        });
        return;
      }
      const got = Object.fromEntries(Object.entries(readSettings(schema, Buffer.from(config), secrets)).filter(([, v]) => v !== undefined));
      assert.deepEqual(got, want);
    });
  }
});

test('frames', async (t) => {
  const sizes = async (chunks, limit) => {
    const sent = [];
    await sendFile({ ref: 'r', name: 'n', mediaType: '', size: 0, content: chunks.map((n) => Buffer.alloc(n)) }, limit, async (m) => sent.push(m));
    assert.ok(sent[0].header);
    return sent.slice(1).map((m) => m.data.length);
  };
  const rows = [
    [[], 0, []], [[1], 0, [1]], [[frameSize * 2 + 1], 0, [frameSize, frameSize, 1]], [[10, 10], 5, [6]], [[5], 5, [5]], [[3, 3, 3], 5, [3, 3]],
  ];
  for (const [chunks, limit, want] of rows) {
    await t.test(JSON.stringify([chunks, limit]), async () => assert.deepEqual(await sizes(chunks, limit), want));
  }
});

test('listings', async (t) => {
  for (const n of [0, 1, 500, 501]) {
    await t.test(String(n), async () => {
      const sent = [];
      await sendListing(Array.from({ length: n }, (_, i) => ({ id: `${i}`, revision: '' })), async (m) => sent.push(m));
      assert.deepEqual(sent.pop(), { complete: { count: n } });
      assert.equal(sent.flatMap((m) => m.batch.items).length, n);
      assert.equal(sent.length, Math.ceil(n / 500));
    });
  }
  await t.test('broken off', async () => {
    const sent = [];
    const broken = (async function* () { yield { id: 'a', revision: '' }; throw new Error('gone'); })();
    await assert.rejects(sendListing(broken, async (m) => sent.push(m)), /gone/);
    assert.ok(!sent.some((m) => m.complete));
  });
});

test('versions', async (t) => {
  for (const offered of [undefined, '', '1', '2,1']) await t.test(`${offered}`, () => checkVersion(offered));
  await t.test('newer host', () => assert.throws(() => checkVersion('2,3'), /this connector speaks plugin protocol 1 .* upgrade the connector/));
  await t.test('older host', () => assert.throws(() => checkVersion('0'), /upgrade Footnote/));
});

test('certificate', async () => {
  const own = await ownCertificate();
  const c = new X509Certificate(Buffer.from(own.line, 'base64'));
  assert.equal(c.checkHost('localhost'), 'localhost');
  assert.ok(c.verify(c.publicKey) && c.publicKey.asymmetricKeyDetails.namedCurve === 'prime256v1');
  assert.ok(Date.parse(c.validFrom) < Date.now() && Date.parse(c.validTo) > Date.now());
  assert.ok(!own.line.includes('=') && own.line.length > 50);
  assert.notEqual(own.line, (await ownCertificate()).line);
});
