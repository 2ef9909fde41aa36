// Calls of gRPC as promises: one signal for each that ends with it, and sending
// that waits while the host is behind.
import { toStatus, wellFormed } from './errors.js';

/** Frames of Fetch, in bytes. */
export const frameSize = 256 << 10;
/** Items in one ListBatch. */
export const listSize = 500;
/** A cursor, in bytes. */
export const maxCursor = 64 << 10;

/**
 * Calls hands out signals and aborts all of them when the connector is to leave.
 */
export class Calls {
  #running = new Set();

  /** A handler of a unary call out of a function that returns a promise. */
  unary(run) {
    return (call, callback) => {
      const { signal, end } = this.#begin(call);
      Promise.resolve().then(() => run(call.request, signal))
        .then((reply) => callback(null, wellFormed(reply)), (err) => callback(toStatus(err)))
        .finally(end);
    };
  }

  /** A handler of a call that streams; run gets a function that sends one message. */
  stream(run) {
    return (call) => {
      const { signal, end } = this.#begin(call);
      Promise.resolve().then(() => run(call.request, (message) => send(call, signal, message), signal))
        .then(() => call.end(), (err) => call.emit('error', toStatus(err)))
        .finally(end);
    };
  }

  abort(why) {
    for (const running of this.#running) running.abort(why);
  }

  #begin(call) {
    const running = new AbortController();
    this.#running.add(running);
    call.on('cancelled', () => running.abort(new DOMException('the host stopped the call', 'AbortError')));
    return { signal: running.signal, end: () => this.#running.delete(running) };
  }
}

// One message is under way at a time: grpc-js would otherwise take in sixteen.
// The callback of a call that was cancelled never comes.
function send(call, signal, message) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    call.write(message, (err) => {
      signal.removeEventListener('abort', stop);
      if (err) reject(err);
      else resolve();
    });
  });
}

/** Out takes what a sync finds. Every method resolves once the host took the event. */
export class Out {
  #send;

  constructor(send) { this.#send = send; }

  document(document) { return this.#send({ document: wellFormed(document) }); }
  failure(failure) { return this.#send({ failure }); }
  note(text) { return this.#send({ note: { text: text.toWellFormed() } }); }

  checkpoint(cursor) {
    if (cursor.length > maxCursor) throw new Error(`the cursor takes ${cursor.length} bytes, the limit is ${maxCursor}`);
    return this.#send({ checkpoint: { cursor } });
  }
}

/** Sends {id, revision} in batches, and Complete once there are no more. */
export async function sendListing(items, send) {
  let batch = [];
  let count = 0;
  for await (const item of items) {
    batch.push(wellFormed(item));
    count++;
    if (batch.length === listSize) {
      await send({ batch: { items: batch } });
      batch = [];
    }
  }
  if (batch.length > 0) await send({ batch: { items: batch } });
  await send({ complete: { count } });
}

/**
 * Sends an attachment: the header, then the content in frames. With a limit it
 * stops one byte behind it, so that the host sees that there was more.
 */
export async function sendFile(file, limit, send) {
  await send({ header: wellFormed({ ref: file.ref, name: file.name, media_type: file.mediaType, size: file.size }) });
  let left = limit > 0 ? limit + 1 : Infinity;
  for await (const chunk of file.content) {
    for (let at = 0; at < chunk.length && left > 0; at += frameSize) {
      const data = Buffer.from(chunk.subarray(at, Math.min(at + frameSize, at + left)));
      await send({ data });
      left -= data.length;
    }
    if (left <= 0) return;
  }
}
