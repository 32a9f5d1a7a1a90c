import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Position } from '../../domain/core/brands.ts';
import type { EventLog } from '../../eventLog/eventLog.ts';
import type { Vault } from '../../vault/vault.ts';
import { type Snapshot, type SnapshotMark, UnusableSnapshot } from './snapshotBytes.ts';
import { type OpenSnapshot, openSnapshot, readSnapshot, writeSnapshot } from './snapshotFile.ts';

/** The key that authenticates the snapshots of an installation. */
export const snapshotKey = (vault: Pick<Vault, 'deriveKey'>): Buffer => vault.deriveKey('snapshots');

/** The newest snapshot and a fallback. */
const MAX_SNAPSHOTS = 2;
const NAME = /^hot-(\d{15})\.snapshot$/;

/** The snapshots of one data folder. All of them may be deleted at any time. */
export class SnapshotFolder {
  readonly path: string;
  /** Authenticates the files: what this installation did not write is not used. */
  readonly key: Uint8Array;

  /** @param key from `snapshotKey` */
  constructor(path: string, key: Uint8Array) {
    this.path = path;
    this.key = key;
  }

  /** File names, newest first. None when the folder cannot be read: the next write reports why. */
  names(): string[] {
    return snapshotNames(this.path);
  }

  read(name: string): Snapshot {
    return readSnapshot(join(this.path, name), this.key);
  }

  /** For what is needed of it. */
  open(name: string): OpenSnapshot {
    return openSnapshot(join(this.path, name), this.key);
  }

  /** Writes a snapshot and removes the oldest ones. @returns the size in bytes */
  write(snapshot: Snapshot): number {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    const bytes = writeSnapshot(join(this.path, snapshotName(snapshot.position)), this.key, snapshot);
    for (const name of this.names().slice(MAX_SNAPSHOTS)) this.remove(name);
    return bytes;
  }

  remove(name: string): void {
    rmSync(join(this.path, name), { recursive: true, force: true });
  }

  clear(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** File names of the snapshots in a folder, newest first. */
function snapshotNames(path: string): string[] {
  try {
    const names = readdirSync(path).filter((name) => NAME.test(name));
    return names.toSorted().toReversed();
  } catch {
    return [];
  }
}

/** The newest snapshot of a folder, according to its name: nothing of the file is read. */
export function newestSnapshotName(path: string): { readonly name: string; readonly position: Position } | undefined {
  const [name] = snapshotNames(path);
  return name === undefined ? undefined : { name, position: positionIn(name) };
}

const positionIn = (name: string): Position => Number(NAME.exec(name)?.[1]) as Position;

/** The file name of the snapshot that ends at a position. */
export const snapshotName = (at: Position): string => `hot-${String(at).padStart(15, '0')}.snapshot`;

/** A snapshot ends with an event that the log does not have, so the log has lost it. */
export class LogBehindSnapshot extends UnusableSnapshot {
  /** The event that the snapshot ends with. */
  readonly mark: SnapshotMark;
  constructor(message: string, mark: SnapshotMark) {
    super(message);
    this.mark = mark;
  }
}

/**
 * The newest snapshot that a fold of this log can continue from. Unusable ones are removed and reported with the reason.
 * @param onLogBehind called with an authentic snapshot of events that the log lacks, before it is removed; may throw
 * @param sealedUpTo older snapshots are removed: a fold begins there, and rows behind them may be archived
 * @returns undefined when there is none: the log is then folded from its beginning
 */
export async function newestSnapshot(
  folder: SnapshotFolder,
  log: EventLog,
  report: (line: string) => void,
  onLogBehind: (name: string, mark: SnapshotMark) => void = () => undefined,
  sealedUpTo = 0,
): Promise<Snapshot | undefined> {
  for (const name of folder.names()) {
    if (positionIn(name) <= sealedUpTo) {
      folder.remove(name);
      continue;
    }
    try {
      const snapshot = folder.read(name);
      if (snapshot.position !== positionIn(name))
        throw new UnusableSnapshot(`ends at position ${snapshot.position}, not at the one in its name`);
      await requireSameLog(snapshot, log);
      return snapshot;
    } catch (error) {
      if (error instanceof LogBehindSnapshot) onLogBehind(name, error.mark);
      const reason = error instanceof UnusableSnapshot ? error.message : `cannot be read: ${(error as Error).message}`;
      report(`the snapshot ${name} ${reason}. It is removed; the log is folded without it.`);
      folder.remove(name);
    }
  }
  return undefined;
}

/** @throws LogBehindSnapshot when the log does not have the event that the snapshot ends with */
async function requireSameLog({ position, eventId, eventHash }: Snapshot, log: EventLog): Promise<void> {
  const head = await log.head();
  const mark = { position, eventId, eventHash };
  if (position > head) throw new LogBehindSnapshot(`is ahead of the log, which ends at ${head}`, mark);
  for await (const event of log.readAll((position - 1) as Position)) {
    const isSame = event.position === position && event.id === eventId && event.metadata.hash === eventHash;
    if (isSame) return;
    break;
  }
  throw new LogBehindSnapshot(`is of another log: the event at ${position} is not the one that it ends with`, mark);
}
