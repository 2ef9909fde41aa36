// The process as a whole: what it leaves behind when its host is gone.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownCertificate } from '../host/certificate.js';

const main = path.join(import.meta.dirname, '..', 'main.js');
const within = 4000; // milliseconds: three seconds, and one for a machine that has more to do

// A host whose only trace is its process id, as behind a shell that goes on.
test('it leaves with a host that is not its parent', async (t) => {
  const host = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  t.after(() => host.kill());
  const around = await mkdtemp(path.join(os.tmpdir(), 'fn-'));
  t.after(() => rm(around, { recursive: true, force: true }));
  const dir = path.join(around, 'sockets');
  await mkdir(dir);
  const connector = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      FOOTNOTE_CONNECTOR: 'footnote.plugin.v1', FOOTNOTE_HOST_PID: String(host.pid), PLUGIN_PROTOCOL_VERSIONS: '1',
      PLUGIN_UNIX_SOCKET_DIR: dir, PLUGIN_CLIENT_CERT: (await ownCertificate()).certificate,
    },
  });
  t.after(() => connector.kill());
  const [line] = await once(createInterface(connector.stdout), 'line');
  assert.match(line, /^1\|1\|unix\|.*\|grpc\|[A-Za-z0-9+/]{50,}$/);
  assert.equal((await readdir(dir)).length, 1);
  await sleep(1200);
  assert.equal(connector.exitCode, null, 'it stays while its host lives');

  host.kill('SIGKILL');
  const left = await Promise.race([once(connector, 'exit'), sleep(within, 'it still runs', { ref: false })]);
  assert.deepEqual(left, [1, null]);
  assert.ok(!existsSync(around), 'nobody else removes the socket');
});
