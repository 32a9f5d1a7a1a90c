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
  readonly #selectLast: StatementSync;
  /** Clients by their address and user agent, which nearly always say all else about them. */
  readonly #cached = new Map<string | null, { readonly fields: RequestClientFields; readonly id: number | null }>();

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
    this.#selectLast = database.prepare('SELECT MAX(id) AS id FROM requestClients');
    this.#select = database.prepare(`SELECT ${FIELDS.join(', ')} FROM requestClients WHERE id = ?`);
  }

  /** @returns null when nothing is known of the client */
  idOf(row: RequestClientFields): number | null {
    // Joining the texts of a client takes longer than all else that is done for it.
    const cached = this.#cached.get(row.sealedOrigin);
    if (cached && FIELDS.every((name) => cached.fields[name] === row[name])) return cached.id;
    const fields = Object.fromEntries(FIELDS.map((name) => [name, row[name]])) as unknown as RequestClientFields;
    const id = this.#find(Object.values(fields));
    if (this.#cached.size >= MAX_CACHED_IDS) this.#cached.clear();
    this.#cached.set(row.sealedOrigin, { fields, id });
    return id;
  }

  #find(values: readonly (string | null)[]): number | null {
    if (values.every((value) => value === null)) return null;
    const fields = JSON.stringify(values);
    const known = this.#selectId.get(fields)?.id as number | undefined;
    return known ?? Number(this.#insert.run(...values, fields).lastInsertRowid);
  }

  at(id: number): RequestClientFields {
    return this.#select.get(id) as unknown as RequestClientFields;
  }

  /** The largest id; 0 when there is none. */
  lastId(): number {
    return (this.#selectLast.get()?.id as number | null) ?? 0;
  }

  /** Forgets the ids in memory, e.g. after a rollback. */
  clear(): void {
    this.#cached.clear();
  }
}
