import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';

const SQLITE_BUSY = 5;
const SQLITE_NOTADB = 26;
const RETRY_MS = 100;

const resultOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) % 256;

export interface BuildLock {
  /** False where the file system has no locks: builds go on without, each in a folder of its own. */
  readonly isHeld: boolean;
  release(): void;
}

/**
 * Takes the lock of a folder, so that one process at a time builds into it. It is a lock of the kernel on the file, taken by
 * SQLite because Node has none: it ends with the process that holds it, however that ends, and needs no process id.
 * @throws Error when another process has held it for `maxWaitMs`
 */
export async function takeBuildLock(path: string, maxWaitMs: number): Promise<BuildLock> {
  const deadline = performance.now() + maxWaitMs;
  for (;;) {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(path, { timeout: 0 });
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      const held = database;
      return { isHeld: true, release: () => held.close() };
    } catch (error) {
      database?.close();
      const result = resultOf(error);
      if (result === SQLITE_NOTADB) rmSync(path);
      else if (result !== SQLITE_BUSY) return { isHeld: false, release: () => undefined };
    }
    if (performance.now() > deadline) {
      const minutes = Math.round(maxWaitMs / 60_000);
      throw new Error(
        `Another process has held ${path} for ${minutes} minutes. End it, for instance by "fuser -k ${path}".`,
      );
    }
    await wait(RETRY_MS);
  }
}
