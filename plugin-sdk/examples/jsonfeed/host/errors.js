// Errors with a kind, and what they are on the wire.
import { Metadata, status } from '@grpc/grpc-js';
import { messages } from './proto.js';

/**
 * Failed is an error whose kind decides what the host does next:
 *
 * - auth: the credentials are refused; the source waits for its owner
 * - denied: a permission is missing
 * - busy: the system asks for a pause of `after` milliseconds, 0 if it did not say how long
 * - gone: what was asked for is no more
 * - config: the setting `field` is wrong
 * - invalid: it cannot be used as it is
 * - too_large: it is over a limit
 *
 * Any other error means: try again later.
 */
export class Failed extends Error {
  constructor(kind, message, { field = '', after = 0, http = 0, cause } = {}) {
    super(message, { cause });
    Object.assign(this, { name: 'Failed', kind, field, after, http });
  }
}

const codes = {
  auth: status.UNAUTHENTICATED,
  denied: status.PERMISSION_DENIED,
  busy: status.RESOURCE_EXHAUSTED,
  gone: status.NOT_FOUND,
  config: status.INVALID_ARGUMENT,
  invalid: status.FAILED_PRECONDITION,
  too_large: status.OUT_OF_RANGE,
};

/** How long the text of an error may be, in characters: it travels in a header. */
const longest = 2000;

/** What an error is as a status of gRPC with the standard details. */
export function toStatus(err) {
  const code = codes[err?.kind] ?? (err?.name === 'AbortError' ? status.CANCELLED : status.UNKNOWN);
  const text = wellFormed(String(err?.message ?? err)).slice(0, longest).toWellFormed();
  return { code, details: text, metadata: details(code, text, detailOf(err)) };
}

/** What is wrong with several settings at once; violations are {field, description}. */
export function badSettings(violations) {
  const err = new Failed('config', violations.map((v) => `${v.field}: ${v.description}`).join('; '));
  err.violations = violations;
  return err;
}

function detailOf(err) {
  switch (err?.kind) {
    case 'busy':
      return { type: 'google.rpc.RetryInfo', value: { retry_delay: duration(err.after) } };
    case 'config':
      return {
        type: 'google.rpc.BadRequest',
        value: { field_violations: err.violations ?? [{ field: err.field, description: err.message }] },
      };
  }
  return undefined;
}

function details(code, message, detail) {
  const metadata = new Metadata();
  if (!detail) return metadata;
  const any = { type_url: 'type.googleapis.com/' + detail.type, value: messages.encode(detail.type, detail.value) };
  metadata.set('grpc-status-details-bin', messages.encode('google.rpc.Status', { code, message, details: [any] }));
  return metadata;
}

/** A Failure of one document; the sync goes on after it. */
export function failureOf(id, title, err, document) {
  const busy = err.kind === 'busy' && err.after > 0;
  return wellFormed({
    id,
    title: title || id,
    kind: err.kind ? 'FAILURE_KIND_' + err.kind.toUpperCase() : 'FAILURE_KIND_UNSPECIFIED',
    detail: String(err.message).slice(0, longest),
    http_status: err.http ?? 0,
    retry_after: busy ? duration(err.after) : undefined,
    document,
  });
}

function duration(milliseconds) {
  return { seconds: Math.floor(milliseconds / 1000), nanos: Math.round(milliseconds % 1000) * 1_000_000 };
}

/**
 * Replaces halves of characters in every text of a message: they are no UTF-8,
 * and the host would end the whole stream because of one.
 */
export function wellFormed(value) {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]));
}
