import type { DatabaseSync } from 'node:sqlite';
import { createSemaphore } from '../../lib/semaphore.ts';
import { openForReading } from './readModelFile.ts';

/**
 * A second connection to the file of the read models: what a query reads is the same in all of its turns, whatever is written
 * meanwhile.
 */
export class SnapshotReader {
  readonly #path: string;
  readonly #oneAtATime = createSemaphore(1);
  #database: DatabaseSync | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Runs a query on what the file has when it begins. One query at a time. */
  read<Result>(query: (database: DatabaseSync) => Promise<Result>): Promise<Result> {
    return this.#oneAtATime(async () => {
      this.#database ??= openForReading(this.#path);
      const database = this.#database;
      // The first read of a transaction takes the snapshot.
      database.exec('BEGIN; SELECT 1 FROM progress');
      try {
        return await query(database);
      } finally {
        if (database.isOpen) database.exec('ROLLBACK');
      }
    });
  }

  /** Must be called before the file is replaced; a query that is under way fails with its next statement. */
  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }
}
