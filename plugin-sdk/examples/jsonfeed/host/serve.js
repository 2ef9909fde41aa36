// The server: Footnote's calls, go-plugin's own services beside them, and the
// handshake that tells the host where it listens.
import { mkdtempSync, writeSync } from 'node:fs';
import { X509Certificate, randomUUID } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { ownCertificate } from './certificate.js';
import { handlers } from './handlers.js';
import { services } from './proto.js';
import { Calls } from './stream.js';

/** The major version of the wire that this connector speaks. */
const protocolVersion = 1;
/** One message on the wire, in bytes. */
const maxMessage = 8 << 20;
/** How long calls may take to end when the connector is to leave, in milliseconds. */
const leaveWithin = 1000;

/**
 * Serves a connector until the host says stop. Connector is a class; see
 * feed/connector.js for what it has.
 */
export async function serve(Connector, log, env = process.env) {
  checkVersion(env.PLUGIN_PROTOCOL_VERSIONS);
  const host = hostCertificate(env.PLUGIN_CLIENT_CERT);
  const own = await ownCertificate();
  const server = new Server({
    'grpc.max_receive_message_length': maxMessage, 'grpc.max_send_message_length': maxMessage, 'grpc.enable_channelz': 0,
  });
  const calls = new Calls();
  server.addService(services.connector, handlers(Connector, calls, log));
  server.addService(services.controller, { Shutdown: shutdown(server, calls) });
  server.addService(services.stdio, { StreamStdio: (call) => call.end() }); // all output goes to standard error
  server.addService(services.health, health());

  // Only who has the key to the host's certificate gets in.
  const credentials = ServerCredentials.createSsl(
    host, [{ private_key: Buffer.from(own.key), cert_chain: Buffer.from(own.certificate) }], true);
  const socket = socketPath(env.PLUGIN_UNIX_SOCKET_DIR);
  await new Promise((resolve, reject) => {
    server.bindAsync('unix:' + socket, credentials, (err) => (err ? reject(err) : resolve()));
  });
  // go-plugin's own version, ours, the kind of address, the address, the protocol, the certificate.
  writeSync(process.stdout.fd, `1|${protocolVersion}|unix|${socket}|grpc|${own.line}\n`);
}

/** Compares our version with those that the host offers, as "1,2". */
export function checkVersion(offered) {
  if (!offered) return;
  const versions = offered.split(',').map(Number);
  if (versions.includes(protocolVersion)) return;
  const advice = Math.max(...versions) < protocolVersion
    ? 'upgrade Footnote, or install an older release of the connector'
    : 'upgrade the connector';
  throw new Error(`this connector speaks plugin protocol ${protocolVersion} and this Footnote speaks ${offered}: ${advice}`);
}

/** The host's certificate as PEM: only who has the key to it may call. */
function hostCertificate(pem) {
  try {
    return Buffer.from(new X509Certificate(pem ?? '').toString());
  } catch (err) {
    throw new Error(`there is no certificate of the host in PLUGIN_CLIENT_CERT, and without one nobody could tell who calls: ${err.message}`);
  }
}

function socketPath(dir) {
  return path.join(dir || mkdtempSync(path.join(os.tmpdir(), 'jsonfeed-')), `c-${randomUUID().slice(0, 8)}`);
}

function shutdown(server, calls) {
  return (call, callback) => {
    callback(null, {});
    calls.abort(new DOMException('the connector leaves', 'AbortError'));
    setTimeout(() => process.exit(0), leaveWithin);
    server.tryShutdown(() => process.exit(0));
  };
}

function health() {
  const known = ['', 'plugin'];
  const serving = { status: 'SERVING' };
  return {
    Check: (call, callback) => {
      if (known.includes(call.request.service)) callback(null, serving);
      else callback({ code: status.NOT_FOUND, details: `there is no service ${call.request.service}` });
    },
    // The stream stays open until the caller leaves: the next state is the end.
    Watch: (call) => {
      call.write(known.includes(call.request.service) ? serving : { status: 'SERVICE_UNKNOWN' });
      call.on('cancelled', () => call.end());
    },
  };
}
