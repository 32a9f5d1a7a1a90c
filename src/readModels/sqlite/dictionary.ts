import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** By the first value, then by the second, and so on to the number. */
type IdTree = Map<string | null, IdTree | number>;

/** Small numbers for texts that come again and again: a row then holds one number, and a filter is tried once a number. */
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

  /** All entries; the one at index n has id n + 1. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  idOf(entry: Entry): number {
    // A row and its sums ask one after the other.
    if (this.#last?.entry === entry) return this.#last.id;
    const id = this.#find(entry);
    this.#last = { entry, id };
    return id;
  }

  entryOf(id: number): Entry {
    const entry = this.#entries[id - 1];
    if (!entry) throw new Error(`the read models know no group ${id}`);
    return entry;
  }

  /** Reads what the file holds, e.g. after a transaction was rolled back. */
  reload(): void {
    this.#entries = [];
    this.#ids.clear();
    this.#last = undefined;
    for (const row of this.#selectAll.all()) this.#remember(row as Entry);
  }

  #find(entry: Entry): number {
    // A way through maps: joining the values to one key costs three times as much.
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
