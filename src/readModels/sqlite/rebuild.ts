import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { damagedFile, openDatabase } from '../../dataFolder/openDatabase.ts';
import { requireLogFile } from '../../dataFolder/requireLogFile.ts';
import { type Position, position } from '../../domain/core/brands.ts';
import { CannotRebuild, type Comparison, type OnProgress } from '../rebuild.ts';
import { compareReadModelFiles } from './compare.ts';
import { dropIndexes, SameRows, schemaOf } from './compareInSqlite.ts';
import { LiveRows } from './liveRows.ts';
import { type LogMark, LogReader } from './logReader.ts';
import { Projector, versionWith } from './projector.ts';
import { LAYOUT, makeTemporaryFile, openReadModelFile, removeReadModelFile } from './readModelFile.ts';
import type { Tables } from './tables.ts';

export interface RebuildOptions {
  /** Contains `readmodels.sqlite` and the log. */
  readonly folder: string;
  /** The log's file in this folder: `log.sqlite`, or the mirror of EventStoreDB. */
  readonly logName?: string;
  readonly onProgress?: OnProgress;
}

/** Larger than while serving, because no queries wait for the end of a batch. */
const BATCH_EVENTS = 50_000;

/**
 * Rebuilds the read models beside the existing ones, then replaces those. No other process may have them open.
 * @returns the position that they reach
 * @throws LogFileMissing
 */
export function rebuildReadModels({ folder, logName, onProgress }: RebuildOptions): Position {
  const [live, fresh] = [join(folder, 'readmodels.sqlite'), join(folder, 'readmodels.new.sqlite')];
  const logPath = requireLogFile(folder, logName);
  removeReadModelFile(fresh);
  const reached = build({ open: () => openReadModelFile(fresh), logPath, onProgress });
  // A crash between the two leaves no file; the next start then builds one.
  removeReadModelFile(live);
  renameSync(fresh, live);
  return reached.position;
}

/**
 * Rebuilds the read models up to the position of the live ones, compares both and removes the new ones. The live ones are
 * only read, and may advance meanwhile.
 * @throws LogFileMissing, or CannotRebuild when there is nothing to compare with
 */
export function compareReadModels({ folder, logName, onProgress }: RebuildOptions): Comparison {
  const [livePath, freshPath] = [join(folder, 'readmodels.sqlite'), join(folder, 'readmodels.compare.sqlite')];
  const logPath = requireLogFile(folder, logName);
  if (!existsSync(livePath)) throw new CannotRebuild(`There are no read models in ${folder} to compare with.`);
  return compareWithRebuilt({ livePath, logPath, freshPath, onProgress });
}

/** The files of a comparison: paths, or `file:` URIs of those that are only read. */
export interface ComparedFiles {
  readonly livePath: string;
  readonly logPath: string;
  /** Where `archive.sqlite` is, if it is not beside the log. */
  readonly archivePath?: string | undefined;
  /** The rebuilt read models; removed at the end. */
  readonly freshPath: string;
  readonly onProgress?: OnProgress | undefined;
}

/** As `compareReadModels`, with files anywhere. */
export function compareWithRebuilt({
  livePath,
  logPath,
  archivePath,
  freshPath,
  onProgress,
}: ComparedFiles): Comparison {
  const live = openDatabase(livePath, { readOnly: true, timeout: 5_000 });
  try {
    // A read transaction: this connection sees one state, however far the service advances.
    live.exec('BEGIN');
    const progress = progressOf(live);
    const at = (progress?.position ?? 0) as Position;
    const expected = expectedVersion(logPath, archivePath);
    const layout = live.prepare('PRAGMA user_version').get()?.user_version;
    if (progress?.version !== expected || layout !== LAYOUT) {
      const made = progress
        ? `of version "${String(progress.version)}" and layout ${layout}`
        : 'of a version that this one cannot read';
      return {
        position: at,
        rows: 0,
        isOtherVersion: true,
        differences: [`the live read models are ${made}, this svc builds "${expected}" and layout ${LAYOUT}`],
      };
    }
    let schema = '';
    let rows: LiveRows | undefined;
    const rebuilt = build({
      open: () => makeTemporaryFile(freshPath),
      logPath,
      archivePath,
      upTo: at,
      onProgress,
      onTables(made, tables) {
        schema = schemaOf(made);
        dropIndexes(made);
        rows = schemaOf(live) === schema ? new LiveRows(live) : undefined;
        if (rows) tables.compareWith(rows);
      },
    });
    if (rebuilt.position !== at || rebuilt.eventId !== progress.eventId) {
      const difference = `the live read models end at position ${at} with event ${String(progress.eventId)}, the log there at position ${rebuilt.position} with event ${String(rebuilt.eventId)}`;
      return { position: at, rows: 0, differences: [difference] };
    }
    const fresh = new DatabaseSync(freshPath, { readOnly: true });
    try {
      const same = schemaOf(live) === schema ? new SameRows(live, freshPath) : undefined;
      return { position: at, ...compareReadModelFiles(live, fresh, same, rows?.finish()) };
    } finally {
      fresh.close();
    }
  } finally {
    live.close();
    removeReadModelFile(freshPath);
  }
}

function progressOf(live: DatabaseSync): Record<string, unknown> | undefined {
  try {
    return live.prepare('SELECT version, position, eventId FROM progress').get();
  } catch (error) {
    if (damagedFile(error)) throw error;
    // Earlier layouts had other columns.
    return undefined;
  }
}

function expectedVersion(logPath: string, archivePath?: string): string {
  const log = new LogReader(logPath, archivePath);
  try {
    return versionWith(log.archive.signature());
  } finally {
    log.close();
  }
}

interface Build {
  /** Opens an empty file, which is closed at the end. */
  readonly open: () => DatabaseSync;
  readonly logPath: string;
  readonly archivePath?: string | undefined;
  readonly upTo?: Position;
  readonly onProgress?: OnProgress | undefined;
  /** Called when all tables are made, before the first row. */
  readonly onTables?: (database: DatabaseSync, tables: Tables) => void;
}

function build({
  open,
  logPath,
  archivePath,
  upTo = position(Number.MAX_SAFE_INTEGER),
  onProgress,
  onTables,
}: Build): LogMark {
  const log = new LogReader(logPath, archivePath);
  const database = open();
  try {
    const { position: end } = log.lastUpTo(upTo);
    const projector = new Projector(database, log, { onTables: (tables) => onTables?.(database, tables) });
    let hasMore = true;
    while (hasMore) {
      hasMore = projector.catchUp(BATCH_EVENTS, end);
      onProgress?.(projector.position, end);
    }
    return log.lastUpTo(projector.position);
  } finally {
    database.close();
    log.close();
  }
}
