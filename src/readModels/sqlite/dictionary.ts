import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Maps the first value to a map of the second one, and so on down to the id. */
type IdTree = Map<string | null, IdTree | number>;

/** Assigns ids to combinations of texts: a row then stores one number, and a filter is evaluated once per id. */
export class Dictionary<Entry extends Readonly<Record<keyof Entry, string | null>>> {
  readonly #columns: readonly (keyof Entry & string)[];
  readonly #ids: IdTree = new Map();
  readonly #insert: StatementSync;
  readonly #selectAll: StatementSync;
  #entries: Entry[] = [];
  #last: { readonly entry: Entry; readonly id: number } | undefined;

  constructor(database: DatabaseSync, table: string, columns: readonly (keyof Entry & string)[]) {
    const names = columns.join(', ');
    const values = columns.map(() => '?').join(', ');
    database.exec(`
      CREATE TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY, ${columns.map((name) => `${name} TEXT`).join(', ')}) STRICT`);
    this.#columns = columns;
    this.#insert = database.prepare(`INSERT INTO ${table} (id, ${names}) VALUES (?, ${values})`);
    this.#selectAll = database.prepare(`SELECT ${names} FROM ${table} ORDER BY id`);
    this.reload();
  }

  /** All entries; the entry at index n has the id n + 1. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  idOf(entry: Entry): number {
    // A row and its sums look up the same entry one after the other.
    if (this.#last?.entry === entry) return this.#last.id;
    const id = this.#find(entry);
    this.#last = { entry, id };
    return id;
  }

  entryOf(id: number): Entry {
    const entry = this.#entries[id - 1];
    if (!entry) throw new Error(`The read models have no entry ${id} in this dictionary`);
    return entry;
  }

  /** Reads all entries from the file, e.g. after a rollback. */
  reload(): void {
    this.#entries = [];
    this.#ids.clear();
    this.#last = undefined;
    for (const row of this.#selectAll.all()) this.#remember(row as Entry);
  }

  #find(entry: Entry): number {
    // Nested maps: joining the values to one key takes three times as long.
    let known: IdTree | number | undefined = this.#ids;
    for (const name of this.#columns) known = (known as IdTree | undefined)?.get(entry[name]);
    if (known !== undefined) return known as number;
    const id = this.#entries.length + 1;
    const own = Object.fromEntries(this.#columns.map((name) => [name, entry[name]])) as unknown as Entry;
    this.#insert.run(id, ...this.#columns.map((name) => own[name]));
    this.#remember(own);
    return id;
  }

  #remember(entry: Entry): void {
    this.#entries.push(entry);
    const values = this.#columns.map((name) => entry[name]);
    let into = this.#ids;
    for (const value of values.slice(0, -1)) {
      const next = (into.get(value) as IdTree | undefined) ?? new Map();
      into.set(value, next);
      into = next;
    }
    into.set(values.at(-1) ?? null, this.#entries.length);
  }
}
