#!/usr/bin/env node
// The connector's main. What belongs to the host's side of it is in host/, what
// belongs to JSON Feeds in feed/.
import { prepare } from './host/process.js';

const log = prepare('jsonfeed');
try {
  const [{ serve }, { JSONFeed }] = await Promise.all([import('./host/serve.js'), import('./feed/connector.js')]);
  await serve(JSONFeed, log);
} catch (err) {
  const missing = err.code === 'ERR_MODULE_NOT_FOUND';
  log.fatal('the connector failed to start', missing ? `run "npm ci" in ${import.meta.dirname} first: ${err.message}` : err.message);
}
