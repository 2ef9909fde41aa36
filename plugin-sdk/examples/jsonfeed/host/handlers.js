// Footnote's calls, handed on to the connector's methods. Calls that it has no
// method for are answered by gRPC itself: UNIMPLEMENTED.
import { Failed } from './errors.js';
import { readSettings } from './settings.js';
import { Out, sendFile, sendListing } from './stream.js';

const reasons = { SYNC_REASON_FIRST: 'first', SYNC_REASON_POLL: 'poll', SYNC_REASON_REBUILD: 'rebuild' };

/** The optional parts of the protocol that this kit serves, by the methods' names. */
const parts = ['check', 'list', 'fetch', 'search'];

export function handlers(Connector, calls, log) {
  let source; // once it is configured
  const ready = () => {
    if (!source) throw new Failed('invalid', 'the connector is not configured yet');
    return source;
  };
  const features = parts.filter((name) => name in Connector.prototype);
  const having = {
    check: { Check: calls.unary(async (_, signal) => ({ warnings: await ready().check(signal) })) },
    list: { List: calls.stream((_, send, signal) => sendListing(ready().list(signal), send)) },
    fetch: {
      Fetch: calls.stream(async (request, send, signal) => {
        await sendFile(await ready().fetch(request.ref, signal), request.limit, send);
      }),
    },
    search: { Search: calls.unary(async (request, signal) => ({ hits: await ready().search(queryOf(request), signal) })) },
  };
  return {
    Describe: calls.unary(() => describe(Connector, features)),
    Configure: calls.unary((request) => {
      if (source) throw new Failed('invalid', 'the connector is configured already');
      log.setLevel(request.log_level);
      const settings = readSettings(Connector.schema, request.config, request.secrets);
      source = new Connector(settings, { log, dir: request.data_dir, source: request.source });
      return {};
    }),
    Sync: calls.stream((request, send, signal) => ready().sync(request.cursor, new Out(send), signal, reasons[request.reason])),
    ...Object.assign({}, ...features.map((name) => having[name])),
  };
}

function describe(Connector, features) {
  const { title, version, help, schema, limits = [] } = Connector;
  const withKey = Object.values(schema.properties).some((property) => property.writeOnly);
  return {
    name: title, version, help, features, rate_limits: limits,
    config_schema: Buffer.from(JSON.stringify(schema)),
    auth: { kind: withKey ? 'AUTH_KIND_KEY' : 'AUTH_KIND_NONE' },
  };
}

function queryOf(request) {
  return {
    text: request.text,
    limit: Math.max(request.limit, 1),
    from: timeOf(request.from),
    to: timeOf(request.to),
    email: request.viewer?.email ?? '', // empty: only what is public counts
  };
}

/** Milliseconds since 1970, undefined if absent. */
function timeOf(stamp) {
  return stamp ? stamp.seconds * 1000 + Math.floor(stamp.nanos / 1_000_000) : undefined;
}
