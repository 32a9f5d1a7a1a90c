import type { DatabaseSync } from 'node:sqlite';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import type { StoredCheckpoint } from '../../integrity/checkpoints/checkpoints.ts';
import { verifierKey } from '../../integrity/notes/noteKeys.ts';
import type { SignedNotes } from './signedNotes.ts';

interface NoteRow {
  readonly seq: number;
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  readonly note: string;
  readonly publicKey: string;
  readonly signedAt: number;
}

const COLUMNS = 'seq, origin, size, root, note, public_key AS publicKey, signed_at AS signedAt';

/**
 * Reads the signed notes of a data folder.
 * @param location of `checkpoints.sqlite`, as SQLite opens it
 * @returns undefined when no checkpoint was signed yet
 */
export function readSignedNotes(location: string): SignedNotes | undefined {
  const database = openForReading(location);
  try {
    const newest = `SELECT ${COLUMNS} FROM notes WHERE kind = 'checkpoint' ORDER BY seq DESC LIMIT 1`;
    const latest = database.prepare(newest).get() as unknown as NoteRow | undefined;
    if (!latest) return undefined;
    const changes = database.prepare("SELECT note FROM notes WHERE kind = 'keyChange' ORDER BY seq").all();
    return {
      latest: checkpointOf(database, latest),
      covering: (position) => withDatabase(location, (open) => firstCovering(open, latest.origin, position)),
      keyChanges: changes.map(({ note }) => note as string),
      vkey: verifierKey(latest.origin, Buffer.from(latest.publicKey, 'hex')).vkey,
    };
  } finally {
    database.close();
  }
}

function withDatabase<Result>(location: string, read: (database: DatabaseSync) => Result): Result {
  const database = openForReading(location);
  try {
    return read(database);
  } finally {
    database.close();
  }
}

function firstCovering(database: DatabaseSync, origin: string, position: number): StoredCheckpoint | undefined {
  const row = database
    .prepare(
      `SELECT ${COLUMNS} FROM notes WHERE kind = 'checkpoint' AND origin = ? AND size >= ? ORDER BY size, seq LIMIT 1`,
    )
    .get(origin, position) as unknown as NoteRow | undefined;
  return row && checkpointOf(database, row);
}

/** With the cosignatures of witnesses, which follow the log's own signature. */
function checkpointOf(database: DatabaseSync, { seq, origin, size, root, note, signedAt }: NoteRow): StoredCheckpoint {
  const lines = database.prepare('SELECT line FROM cosignatures WHERE seq = ? ORDER BY line').all(seq);
  return { origin, size, root, note: note + lines.map(({ line }) => line as string).join(''), signedAt };
}
