// A feed as a file, with its further pages and attachments beside it. What lies
// outside the file's folder is not read, whatever the feed names.
import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { Failed } from '../host/errors.js';
import { maxPage } from './web.js';

export class Files {
  constructor(file) {
    this.first = path.normalize(file);
  }

  /** The path behind a link of a page; an error if it is outside the folder. */
  async resolve(link, from) {
    if (/^[a-z][a-z0-9+.-]*:/i.test(link)) throw new Failed('denied', `${link} is not a path beside the feed`);
    const file = path.resolve(path.dirname(from), decode(link));
    await inside(path.dirname(this.first), file);
    return file;
  }

  /** Reads a page: {bytes, etag}; files have no etag. */
  async read(file, _etag, signal) {
    const info = await regular(file);
    if (info.size > maxPage) throw new Failed('too_large', `${file} is larger than ${maxPage >> 20} MiB`);
    return { bytes: await named(file, readFile(file, { signal })), etag: '' };
  }

  /** Opens an attachment. */
  async open(file, signal) {
    const info = await regular(file);
    return { mediaType: '', size: info.size, content: createReadStream(file, { signal }) };
  }
}

// Links are checked where they lead: a symbolic link may point anywhere. What does
// not exist is checked by its name, and again when it is opened.
async function inside(folder, file) {
  const around = await named(folder, realpath(folder));
  const real = await realpath(file).catch(() => path.join(around, path.relative(folder, file)));
  if (!real.startsWith(around + path.sep)) throw new Failed('denied', `${file} is outside ${folder}, and only that is read`);
}

async function regular(file) {
  const info = await named(file, stat(file));
  if (!info.isFile()) throw new Failed('invalid', `${file} is not a file`);
  return info;
}

const kinds = { ENOENT: 'gone', ENOTDIR: 'gone', EACCES: 'denied', EPERM: 'denied' };

/** Gives an error of the system its kind. */
async function named(file, promise) {
  try {
    return await promise;
  } catch (err) {
    const kind = kinds[err.code];
    if (!kind) throw err;
    throw new Failed(kind, kind === 'gone' ? `${file} does not exist` : `${file} may not be read`, { cause: err });
  }
}

function decode(link) {
  try {
    return decodeURIComponent(link);
  } catch {
    return link; // a name with a bare %
  }
}
