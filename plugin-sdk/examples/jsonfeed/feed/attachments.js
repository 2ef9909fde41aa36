// Attachments of items. Their refs are what Fetch is called with later.
import path from 'node:path';
import { Failed } from '../host/errors.js';

const maxFiles = 200; // of one item

/**
 * The attachments that can be fetched, as FileRefs. Those elsewhere are left out.
 * A ref changes with the item's date and the announced size: a feed tells nothing
 * closer of what is in a file.
 */
export async function filesOf(item, page, place) {
  const files = [];
  for (const a of Array.isArray(item.attachments) ? item.attachments.slice(0, maxFiles) : []) {
    if (typeof a?.url !== 'string' || a.url === '') continue;
    let address;
    try {
      address = await place.resolve(a.url, page.address);
    } catch (err) {
      if (err instanceof Failed) continue;
      throw err;
    }
    const size = Number.isSafeInteger(a.size_in_bytes) && a.size_in_bytes > 0 ? a.size_in_bytes : 0;
    const name = typeof a.title === 'string' && a.title !== '' ? a.title : nameOf(address);
    files.push({
      ref: JSON.stringify([address, name, String(item.date_modified ?? item.date_published ?? ''), size]),
      name,
      media_type: typeof a.mime_type === 'string' ? a.mime_type : '',
      size,
    });
  }
  return files;
}

/** Opens what a ref stands for. The address is checked again: it comes from outside. */
export async function openFile(ref, place, signal) {
  let address, name;
  try {
    [address, name] = JSON.parse(ref);
  } catch {
    throw new Failed('gone', 'there is no such attachment');
  }
  const file = await place.open(await place.resolve(String(address), place.first), signal);
  return { ref, name: String(name), ...file };
}

function nameOf(address) {
  const last = path.posix.basename(URL.canParse(address) ? new URL(address).pathname : address);
  return last || 'attachment';
}
