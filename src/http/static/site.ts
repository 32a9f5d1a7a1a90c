import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import mime from 'mime-types';

export type Encoding = 'br' | 'gzip' | 'identity';

export interface SiteFile {
  readonly type: string;
  readonly etag: string;
  /** Its name changes with its content, so it may be kept for ever. */
  readonly isImmutable: boolean;
  readonly bodies: ReadonlyMap<Encoding, Buffer>;
}

/** The files of a built site by their path, e.g. `/_app/version.json`. */
export type Site = ReadonlyMap<string, SiteFile>;

export const PAGE = '/index.html';

/**
 * Reads a built site into memory (a few hundred kB), so that a build that runs beside the service cannot pull a file
 * from under an answer.
 * @returns undefined when there is no site
 */
export function readSite(folder: string): Site | undefined {
  if (!existsSync(join(folder, PAGE))) return undefined;
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const all = new Set(names);
  return new Map(
    names
      .filter((name) => !isCompressed(name, all))
      .map((name) => [name.slice(folder.length).replaceAll('\\', '/'), fileAt(name, all)]),
  );
}

const isCompressed = (name: string, all: ReadonlySet<string>) => {
  const plain = name.replace(/\.(br|gz)$/, '');
  return plain !== name && all.has(plain);
};

function fileAt(name: string, all: ReadonlySet<string>): SiteFile {
  const plain = readFileSync(name);
  const bodies = new Map<Encoding, Buffer>([['identity', plain]]);
  if (all.has(`${name}.gz`)) bodies.set('gzip', readFileSync(`${name}.gz`));
  if (all.has(`${name}.br`)) bodies.set('br', readFileSync(`${name}.br`));
  return {
    type: mime.contentType(name.slice(name.lastIndexOf('/') + 1)) || 'application/octet-stream',
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    isImmutable: name.includes('/_app/immutable/'),
    bodies,
  };
}
