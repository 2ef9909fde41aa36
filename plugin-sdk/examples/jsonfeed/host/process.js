// The process that a connector is: who starts it, where its output goes, and
// when it leaves.
import { readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';

const levels = ['DEBUG', 'INFO', 'WARN', 'ERROR'];

/**
 * Log writes lines of JSON on standard error, which the host takes over into its
 * own log. Lines below the level are left out.
 */
export class Log {
  level = 'INFO';

  debug(msg, more) { this.#write('DEBUG', msg, more); }
  info(msg, more) { this.#write('INFO', msg, more); }
  warn(msg, more) { this.#write('WARN', msg, more); }

  /** Writes why the process cannot go on, which the host shows, and ends it. */
  fatal(msg, error) {
    process.exitCode = 1;
    setTimeout(() => process.exit(1), 500); // if nobody reads standard error
    this.#write('ERROR', msg, { error }, () => process.exit(1));
  }

  #write(level, msg, more, done) {
    if (levels.indexOf(level) < levels.indexOf(this.level)) return;
    process.stderr.write(JSON.stringify({ time: new Date().toISOString(), level, msg, ...more }) + '\n', done);
  }

  /** Takes a level as Configure brings it; one that is not known counts as INFO. */
  setLevel(text) {
    const level = String(text).toUpperCase();
    this.level = levels.includes(level) ? level : 'INFO';
  }
}

/**
 * Makes a connector of this process and returns its log: standard output is kept
 * free for the handshake, and the process leaves soon after its host. It ends at
 * once where it was not started by Footnote.
 */
export function prepare(name, env = process.env) {
  const log = new Log();
  process.on('uncaughtException', (err) => log.fatal('the connector failed', err?.stack ?? String(err)));
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {}); // nobody reads it any more, which the watch sees
  }
  process.stdout.write = process.stderr.write.bind(process.stderr);
  if (env.FOOTNOTE_CONNECTOR !== 'footnote.plugin.v1') {
    process.stderr.write(`${name} is a connector: Footnote starts it, it does nothing on its own\n`);
    process.exit(1);
  }
  watchHost(log, env);
  return log;
}

/** How often the host is looked for, in milliseconds. */
const every = 500;

/**
 * Ends the process when its host is gone, however the host ended: then its parent
 * is another one. Where a shell stands between the two, the host's own id tells,
 * if it means something here: in a container it may not.
 */
function watchHost(log, env) {
  const parent = process.ppid;
  const host = Number(env.FOOTNOTE_HOST_PID);
  const visible = host > 0 && runs(host);
  if (host > 1 && parent === 1) leave(log, env); // it ended before we could look
  setInterval(() => {
    if (process.ppid !== parent || (visible && !runs(host))) leave(log, env);
  }, every).unref();
}

function runs(pid) {
  try {
    process.kill(pid, 0); // sends nothing
    return true;
  } catch (err) {
    return err.code === 'EPERM';
  }
}

function leave(log, env) {
  removeSocket(env.PLUGIN_UNIX_SOCKET_DIR);
  log.warn('the host is gone, the connector leaves');
  process.exit(1);
}

/**
 * Does what the host would have done: removes the folder of the socket and the
 * private one that the host made around it, whose name begins with fn-. What is
 * not as expected is left alone.
 */
function removeSocket(dir) {
  if (!dir || !path.basename(path.dirname(dir)).startsWith('fn-')) return;
  try {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      if (entry.isSocket()) unlinkSync(path.join(dir, entry.name));
    }
    rmdirSync(dir);
    rmdirSync(path.dirname(dir));
  } catch {
    // The folder is not only ours, or gone.
  }
}
