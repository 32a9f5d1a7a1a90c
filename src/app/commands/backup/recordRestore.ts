import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Manifest } from '../../../backup/format/manifest.ts';
import { instant, type Position } from '../../../domain/core/brands.ts';
import { LossAccepted } from '../../../domain/losses/events.ts';
import { archivePathOf } from '../../../eventLog/archive/archiveFile.ts';
import type { EventLog } from '../../../eventLog/eventLog.ts';
import { openForReading } from '../../../eventLog/sqlite/database.ts';
import { readLogEnd } from '../../../eventLog/sqlite/logEnd.ts';
import { createSqliteEventLog } from '../../../eventLog/sqlite/sqliteEventLog.ts';
import { PublishedFolder, type PublishedHead } from '../../../integrity/published/publishedFolder.ts';
import type { Config } from '../../config/config.ts';
import { appendLoss } from '../accept/appendLoss.ts';
import { endLastOrigin, originOf, rootsOf, withNotes } from '../accept/checkpointLoss.ts';

type Places = Pick<Config, 'SVC_CHECKPOINT_DIR'>;

/** What signed checkpoints say of a restored log. */
export interface PublishedOfRestored {
  readonly findings: readonly string[];
  /** For the operator, where checkpoints reach further than the backup. */
  readonly note: string | undefined;
}

/** Compares a restored log with the checkpoints that it has signed, and with those that are published. */
export async function findPublished(
  draft: string,
  { upTo, node }: Manifest,
  config: Places,
): Promise<PublishedOfRestored> {
  if (upTo.position === 0) return { findings: [], note: undefined };
  const heads = await withLog(draft, node, (log) => headsOf(draft, log, config));
  const sizes = heads.flatMap(({ size }) => (size <= upTo.position ? [size] : []));
  const roots = rootsOf(join(draft, 'log.sqlite'), sizes);
  const findings = heads.flatMap(({ source, size, root }) =>
    size > upTo.position || root === undefined || roots.get(size) === root
      ? []
      : [`The log does not begin with the ${size} events of the signed checkpoint in ${source}.`],
  );
  const ahead = heads.find(({ size }) => size > upTo.position);
  return {
    findings,
    note:
      ahead &&
      `${ahead.source} is a checkpoint of ${ahead.size} events: at least ${ahead.size - upTo.position} events were recorded after this backup and are lost with it.`,
  };
}

/**
 * Records in a restored log that it goes on from a backup, as `LossAccepted`: what came after it is not known. Its checkpoints go on
 * under a new origin, so that the original and its copy never sign under one name (docs/decisions/0074-origins-of-a-log.md).
 */
export async function recordRestore(draft: string, { upTo, node }: Manifest, config: Places): Promise<void> {
  if (upTo.position === 0) return;
  const database = openForReading(join(draft, 'log.sqlite'));
  const found = readLogEnd(database);
  database.close();
  await withLog(draft, node, async (log) => {
    const furthest = Math.max(0, ...(await headsOf(draft, log, config)).map(({ size }) => size));
    const isAhead = furthest > found.position;
    await appendLoss(log, {
      ...LossAccepted({
        of: 'log',
        known: isAhead ? { position: furthest as Position, hash: null, time: null } : found,
        found,
        lost: isAhead ? furthest - found.position : null,
      }),
      time: instant(Date.now()),
      actorCommand: 'restore',
      correlationId: randomUUID(),
    });
  });
  await withNotes(notesIn(draft), async (notes) => notes && endLastOrigin(notes));
}

const notesIn = (draft: string) => ({ file: (name: string) => join(draft, name) });

/** The last checkpoint that the log has signed, and the largest that is published. */
async function headsOf(draft: string, log: EventLog, { SVC_CHECKPOINT_DIR }: Places): Promise<PublishedHead[]> {
  const origin = await originOf({ store: { log, logPath: join(draft, 'log.sqlite') } });
  if (!origin) return [];
  return await withNotes(notesIn(draft), async (notes) => {
    const last = notes?.lastCheckpoint();
    const heads: PublishedHead[] = [];
    if (last?.origin === origin.origin) heads.push({ ...last, source: 'checkpoints.sqlite' });
    if (SVC_CHECKPOINT_DIR !== undefined && existsSync(SVC_CHECKPOINT_DIR)) {
      const published = await new PublishedFolder(resolve(SVC_CHECKPOINT_DIR)).head(origin, notes?.keys() ?? []);
      if (published) heads.push(published);
    }
    return heads;
  });
}

async function withLog<Result>(draft: string, node: string, work: (log: EventLog) => Promise<Result>): Promise<Result> {
  const path = join(draft, 'log.sqlite');
  const log = await createSqliteEventLog({ path, node, archivePath: archivePathOf(path) });
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}
