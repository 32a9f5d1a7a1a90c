import { hash as digest } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../domain/core/redact.ts';
import { openForWriting } from '../../eventLog/sqlite/database.ts';
import { readPartOf } from '../../evidence/check/checkBundle.ts';
import { linesOf } from '../../evidence/check/checkPart.ts';
import { inflate, openFileSource, sha256Of } from '../../evidence/files/fileSource.ts';
import { openBundle } from '../../evidence/format/bundleFile.ts';
import { type EventLine, parseEventLine, timeOf } from '../../evidence/format/eventLine.ts';
import { restoreKeyOrder } from '../../evidence/format/keyOrder.ts';
import type { BundledFile, Manifest } from '../../evidence/format/manifest.ts';

/** The files of a bundle's events in a folder. */
export interface LoadedBundle {
  readonly logPath: string;
  /** The state before the first event of the period, as text; undefined when the bundle has none. */
  readonly beginPath: string | undefined;
}

/**
 * Writes the events of a verified bundle to a log in a folder. Fields that the bundle leaves out get a placeholder, so that the fold
 * finds the kind of value that it expects.
 */
export async function loadBundle(path: string, manifest: Manifest, folder: string): Promise<LoadedBundle> {
  const { files, parts, origin, state } = manifest;
  const fileOf = (name: string) => files.find((file) => file.name === name) as BundledFile;
  const source = await openFileSource(path);
  const logPath = join(folder, 'log.sqlite');
  const log = openForWriting({ path: logPath });
  try {
    const bundle = await openBundle(source);
    const read = readPartOf(bundle, { inflate, sha256: sha256Of });
    const insert = log.prepare(
      'INSERT INTO events (position, stream, revision, id, type, version, time, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    for (const part of parts) {
      const { events } = await read({ part, files: [fileOf(part.events), fileOf(part.proofs)], origin });
      log.exec('BEGIN');
      for (const text of linesOf(events)) insert.run(...rowOf(parseEventLine(text)));
      log.exec('COMMIT');
    }
    const entry = state && bundle.entries.find(({ name }) => name === state.name);
    if (!entry) return { logPath, beginPath: undefined };
    const beginPath = join(folder, state.name);
    writeFileSync(beginPath, await inflate(await bundle.readCompressed(entry), entry.size), { mode: 0o600 });
    return { logPath, beginPath };
  } finally {
    log.close();
    await source.close();
  }
}

type Row = [number, string, number, string, string, number, number, string, string];

function rowOf(line: EventLine): Row {
  const data = fill(line.data ?? {}, line.datahidden, line, undefined);
  const stored = line.dataorder === undefined ? undefined : restoreKeyOrder(data, line.dataorder);
  const metadata = fill(JSON.parse(line.metadata ?? '{}') as Json, line.metadatahidden, line, null);
  return [
    Number(line.position),
    line.subject,
    Number(line.revision),
    line.id,
    line.type,
    Number(line.schemaversion),
    timeOf(line),
    stored ?? JSON.stringify(data),
    JSON.stringify(metadata),
  ];
}

/**
 * Puts placeholders where fields were left out.
 * @param hidden JSON Pointers, separated by spaces
 * @param ofAddress stands for what tells where a person was; undefined leaves it out, because the data of events need not have it
 */
function fill(value: Json, hidden: string | undefined, line: EventLine, ofAddress: null | undefined): Json {
  const filled = structuredClone(value) as Json;
  for (const pointer of hidden?.split(' ') ?? []) {
    const names = pointer
      .slice(1)
      .split('/')
      .map((name) => name.replaceAll('%20', ' ').replaceAll('%25', '%').replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = names.pop() as string;
    const parent = names.reduce<Json | undefined>(
      (at, name) => (at as Readonly<Record<string, Json>> | undefined)?.[name],
      filled,
    );
    if (typeof parent !== 'object' || parent === null) continue;
    const placeholder = OF_ADDRESS.has(last) ? ofAddress : placeholderFor(last, `${line.position}${pointer}`);
    if (placeholder !== undefined) (parent as Record<string, Json>)[last] = placeholder;
  }
  return filled;
}

const OF_ADDRESS = new Set(['address', 'userAgent', 'addressDigest']);
const HASHES = new Set(['hash', 'passwordHash', 'digest']);

/** Distinct for each field, because states are looked up by hashes. */
const placeholderFor = (name: string, place: string): string =>
  HASHES.has(name) ? digest('sha256', place, 'hex') : 'sealed.hidden';
