import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RequestClientFields } from '../../../projections/requestLog.ts';

const FIELDS = ['client', 'clientVersion', 'originator', 'sealedOrigin', 'addressDigest'] as const;

/** Clients choose what they send, so that the ids in memory are bounded. */
const MAX_CACHED_IDS = 10_000;

export const NO_CLIENT: RequestClientFields = {
  client: null,
  clientVersion: null,
  originator: null,
  sealedOrigin: null,
  addressDigest: null,
};

/**
 * The clients of requests, each combination once. Unlike the dictionaries it is read by filters in SQL, and not kept in memory:
 * a client may invent a name for each request.
 */
export class ClientTable {
  readonly #selectId: StatementSync;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #ids = new Map<string, number>();

  constructor(database: DatabaseSync) {
    database.exec(`
      CREATE TABLE IF NOT EXISTS requestClients (
        id INTEGER PRIMARY KEY,
        ${FIELDS.map((name) => `${name} TEXT`).join(', ')},
        fields TEXT NOT NULL UNIQUE
      ) STRICT;
      CREATE INDEX IF NOT EXISTS requestClientsByName ON requestClients (client);
      CREATE INDEX IF NOT EXISTS requestClientsByAddress ON requestClients (addressDigest) WHERE addressDigest IS NOT NULL;`);
    this.#selectId = database.prepare('SELECT id FROM requestClients WHERE fields = ?');
    this.#insert = database.prepare(
      `INSERT INTO requestClients (${FIELDS.join(', ')}, fields) VALUES (${FIELDS.map(() => '?').join(', ')}, ?)`,
    );
    this.#select = database.prepare(`SELECT ${FIELDS.join(', ')} FROM requestClients WHERE id = ?`);
  }

  /** @returns null when nothing is known of the client */
  idOf(row: RequestClientFields): number | null {
    const values = FIELDS.map((name) => row[name]);
    if (values.every((value) => value === null)) return null;
    const fields = JSON.stringify(values);
    const cached = this.#ids.get(fields);
    if (cached !== undefined) return cached;
    const known = this.#selectId.get(fields)?.id as number | undefined;
    const id = known ?? Number(this.#insert.run(...values, fields).lastInsertRowid);
    if (this.#ids.size >= MAX_CACHED_IDS) this.#ids.clear();
    this.#ids.set(fields, id);
    return id;
  }

  at(id: number): RequestClientFields {
    return this.#select.get(id) as unknown as RequestClientFields;
  }

  /** Forgets the ids in memory, e.g. after a rollback. */
  clear(): void {
    this.#ids.clear();
  }
}
