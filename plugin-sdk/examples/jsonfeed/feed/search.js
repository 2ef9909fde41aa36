// A simple search in what the feed shows now.
import { plain } from './items.js';

const snippetLength = 300; // characters
const mostWords = 32; // of a question

/** The words of a text that are looked for, in lower case. */
export function wordsOf(text) {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])].slice(0, mostWords);
}

/** How well a document fits, from 0 to 1: a word in the title counts three times. */
export function score(words, document) {
  if (words.length === 0) return 0;
  const title = document.title.toLowerCase();
  const body = document.body.toString('utf8').toLowerCase();
  const points = words.map((w) => (title.includes(w) ? 3 : 0) + (body.includes(w) ? 1 : 0));
  return points.reduce((a, b) => a + b, 0) / (4 * words.length);
}

/** The part of a document around the first word that is in it. */
export function snippet(words, document) {
  const text = plain(document.body.toString('utf8')).replace(/\s+/g, ' ');
  const lower = text.toLowerCase();
  const places = words.map((w) => lower.indexOf(w)).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...places, lower.length) - snippetLength / 3);
  const start = places.length > 0 ? Math.floor(from) : 0;
  return text.slice(start, start + snippetLength).toWellFormed();
}

/**
 * Tells whether a viewer may read a document, as far as can be known here: who is
 * in the team or in a group is for the host to say. Without an address only what
 * is public counts.
 */
export function mayRead(access, email) {
  if (!access) return false;
  if (access.public) return true;
  if (email === '') return false;
  if (access.workspace || access.host || access.groups?.length > 0) return true;
  return (access.users ?? []).some((u) => u.toLowerCase() === email.toLowerCase());
}

/** Tells whether a document was updated in the range, bounds included. */
export function within(document, from, to) {
  if (from === undefined && to === undefined) return true;
  if (!document.updated) return false;
  const at = document.updated.seconds * 1000 + document.updated.nanos / 1_000_000;
  return at >= (from ?? -Infinity) && at <= (to ?? Infinity);
}
