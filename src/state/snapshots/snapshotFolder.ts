import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Position } from '../../domain/core/brands.ts';
import type { EventLog } from '../../eventLog/eventLog.ts';
import { readSnapshot, type Snapshot, UselessSnapshot, writeSnapshot } from './snapshotFile.ts';

/** The newest one, and one to go back to. */
const KEPT = 2;
const NAME = /^hot-(\d{15})\.snapshot$/;

/** The snapshots of one data folder. All of them may be deleted at any time. */
export class SnapshotFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The names of the files, the newest first. A folder that cannot be read has none: writing into it says why. */
  names(): string[] {
    try {
      const names = readdirSync(this.path).filter((name) => NAME.test(name));
      return names.toSorted().toReversed();
    } catch {
      return [];
    }
  }

  read(name: string): Snapshot {
    return readSnapshot(join(this.path, name));
  }

  /** Older ones than the last few go. @returns its size in bytes */
  write(snapshot: Snapshot): number {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    const bytes = writeSnapshot(join(this.path, nameOf(snapshot.position)), snapshot);
    for (const name of this.names().slice(KEPT)) this.remove(name);
    return bytes;
  }

  remove(name: string): void {
    rmSync(join(this.path, name), { recursive: true, force: true });
  }

  clear(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

const nameOf = (at: Position): string => `hot-${String(at).padStart(15, '0')}.snapshot`;

/**
 * The newest snapshot that a fold of this log can go on from. One that cannot serve is removed, with one line that says why.
 * @returns undefined when there is none: then the log is folded from its beginning
 */
export async function newestSnapshot(
  folder: SnapshotFolder,
  log: EventLog,
  say: (line: string) => void,
): Promise<Snapshot | undefined> {
  for (const name of folder.names()) {
    try {
      const snapshot = folder.read(name);
      await refuseOtherLog(snapshot, log);
      return snapshot;
    } catch (error) {
      const why = error instanceof UselessSnapshot ? error.message : `cannot be read: ${(error as Error).message}`;
      say(`the snapshot ${name} ${why}. It is removed; the log is folded without it.`);
      folder.remove(name);
    }
  }
  return undefined;
}

/** @throws UselessSnapshot when the log does not have the event that the snapshot ends with */
async function refuseOtherLog({ position, eventId, eventHash }: Snapshot, log: EventLog): Promise<void> {
  const head = await log.head();
  if (position > head) throw new UselessSnapshot(`is ahead of the log, which ends at ${head}`);
  for await (const event of log.readAll((position - 1) as Position)) {
    const isIt = event.position === position && event.id === eventId && event.metadata.hash === eventHash;
    if (isIt) return;
    break;
  }
  throw new UselessSnapshot(`is of another log: the event at ${position} is not the one that it ends with`);
}
