import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../dataFolder/openDatabase.ts';
import { BackupRefused } from '../format/backupRefused.ts';
import type { CopiedDatabase, LogPlace, Manifest } from '../format/manifest.ts';
import { isSameVault, readVaultBytes, writeVaultCopy } from './copyVault.ts';
import { type OpenedCopy, openCopy } from './openCopy.ts';

/** The data folder at one moment. */
export interface Capture extends Disposable {
  readonly store: Manifest['store'];
  readonly node: string;
  readonly upTo: LogPlace;
  /** Databases that are copied whole, each in a transaction that keeps its rows as they were at the moment. */
  readonly databases: ReadonlyMap<CopiedDatabase, DatabaseSync>;
  /** The log, whose events are copied up to `upTo`; undefined where it is in EventStoreDB. */
  readonly log: DatabaseSync | undefined;
  /** Segments whose events are not in the log. */
  readonly archived: ReadonlySet<number>;
  /** Number of data keys in the vault. */
  readonly keys: number;
  /** The id of the event at a position; undefined when there is none. */
  idAt(position: number): string | undefined;
  /** Whether rows of the log were removed or put back since, or a service began to write to a folder that none used. */
  hasChanged(): boolean;
}

const MAX_ATTEMPTS = 50;

/**
 * Opens the files of a data folder so that they belong together: first those that may lag behind the log (signed checkpoints), then the
 * end of the log between two looks at the vault and the archive, until both looks see the same. Keys are written before the events
 * that need them and destroyed after those that name them as destroyed; segments likewise.
 * @param temporary a folder for copies
 * @throws BackupRefused when there is no log
 */
export function captureFolder(folder: string, store: Manifest['store'], temporary: string): Capture {
  return store === 'embedded' ? captureEmbedded(folder, temporary) : captureShared(folder, temporary);
}

function captureEmbedded(folder: string, temporary: string): Capture {
  if (!existsSync(join(folder, 'log.sqlite')))
    throw new BackupRefused(`There is no log in ${folder}: set SVC_DATA_DIR to the data folder.`);
  using opened = new DisposableStack();
  const checkpoints = pinned(folder, 'checkpoints.sqlite', temporary, opened);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    using tried = new DisposableStack();
    const vault = readVaultBytes(folder);
    const archive = pinned(folder, 'archive.sqlite', temporary, tried);
    const log = openCopy(folder, 'log.sqlite', temporary) as OpenedCopy;
    tried.defer(() => log.database.close());
    const upTo = endOf(log.database);
    const isSame = isSameVault(vault, readVaultBytes(folder)) && segmentsNow(folder, temporary) === segmentsIn(archive);
    if (!isSame) continue;
    const databases = new Map<CopiedDatabase, DatabaseSync>();
    let keys = 0;
    if (vault) {
      const copy = openDatabase(writeVaultCopy(vault, temporary));
      tried.defer(() => copy.close());
      databases.set('vault.sqlite', copy);
      keys = copy.prepare('SELECT count(*) AS count FROM keys').get()?.count as number;
    }
    if (checkpoints) databases.set('checkpoints.sqlite', checkpoints.database);
    if (archive) databases.set('archive.sqlite', archive.database);
    const segments = segmentsIn(archive);
    const held = new DisposableStack();
    held.use(opened.move());
    held.use(tried.move());
    return {
      store: 'embedded',
      node: nodeIn(folder),
      upTo,
      databases,
      log: log.database,
      archived: new Set(archive ? archivedIn(archive.database) : []),
      keys,
      idAt: (position) =>
        log.database.prepare('SELECT id FROM events WHERE position = ?').get(position)?.id as string | undefined,
      hasChanged: () =>
        segmentsNow(folder, temporary) !== segments ||
        [log, checkpoints, archive].some((copy) => copy?.hasChanged() ?? false),
      [Symbol.dispose]: () => held.dispose(),
    };
  }
  throw new BackupRefused(`The vault in ${folder} changes all the time. Run the backup again.`);
}

/** Of a node over EventStoreDB: what is in the data folder only. The log and the keys are in the server. */
function captureShared(folder: string, temporary: string): Capture {
  using opened = new DisposableStack();
  const databases = new Map<CopiedDatabase, DatabaseSync>();
  const copies = (['checkpoints.sqlite', 'outbox.sqlite'] as const).flatMap((name) => {
    const copy = pinned(folder, name, temporary, opened);
    if (copy) databases.set(name, copy.database);
    return copy ? [copy] : [];
  });
  if (!databases.has('outbox.sqlite'))
    throw new BackupRefused(`There is no outbox in ${folder}: set SVC_DATA_DIR to the data folder of the node.`);
  const mirror = openCopy(folder, 'mirror.sqlite', temporary);
  const upTo = mirror ? endOf(mirror.database) : NO_EVENT;
  mirror?.database.close();
  const held = opened.move();
  return {
    store: 'eventstore',
    node: nodeIn(folder),
    upTo,
    databases,
    log: undefined,
    archived: new Set(),
    keys: 0,
    idAt: () => undefined,
    hasChanged: () => copies.some((copy) => copy.hasChanged()),
    [Symbol.dispose]: () => held.dispose(),
  };
}

/** Opens a database in a transaction, so that all of its rows are those of one moment. */
function pinned(folder: string, name: string, temporary: string, held: DisposableStack): OpenedCopy | undefined {
  const copy = openCopy(folder, name, temporary);
  if (!copy) return undefined;
  held.defer(() => copy.database.close());
  copy.database.exec('BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1');
  return copy;
}

const NO_EVENT: LogPlace = { position: 0, id: '', time: 0 };

/** A file that is being created has no table yet. */
function endOf(database: DatabaseSync): LogPlace {
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() === undefined) return NO_EVENT;
  const row = database.prepare('SELECT position, id, time FROM events ORDER BY position DESC LIMIT 1').get();
  return row ? { position: row.position as number, id: row.id as string, time: row.time as number } : NO_EVENT;
}

function nodeIn(folder: string): string {
  const path = join(folder, 'node-id');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
}

const archivedIn = (archive: DatabaseSync): number[] =>
  archive
    .prepare("SELECT number FROM segments WHERE status = 'archived' ORDER BY number")
    .all()
    .map(({ number }) => number as number);

/** The segments and how far each is archived, as text to compare. */
const segmentsIn = (archive: OpenedCopy | undefined): string =>
  JSON.stringify(
    archive?.database.prepare('SELECT number, status, isRemoved FROM segments ORDER BY number').all() ?? [],
  );

function segmentsNow(folder: string, temporary: string): string {
  // A copy of its own: that of the first look is open.
  const archive = openCopy(folder, 'archive.sqlite', mkdtempSync(join(temporary, 'again-')));
  try {
    return segmentsIn(archive);
  } finally {
    archive?.database.close();
  }
}
