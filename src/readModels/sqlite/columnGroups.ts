import { GROUPINGS, type Grouping, UNBOUNDED } from '../../../projections/figures.ts';
import { startOf } from '../../../projections/periods.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { EXCLUDED, type GroupCodes, UNKNOWN } from '../columns/chunkSelection.ts';
import type { GroupKey } from '../figureCounts.ts';
import type { FigureTables } from './rowFigures.ts';

type Codes = ReturnType<GroupCodes['codesAt']>;

const COLUMN_OF = {
  account: 'kindId',
  model: 'kindId',
  effort: 'kindId',
  status: 'kindId',
  key: 'sourceId',
  owner: 'sourceId',
  team: 'sourceId',
  error: 'sourceId',
  transport: 'sourceId',
  client: 'clientId',
} as const satisfies Record<Grouping, GroupCodes['column']>;

/** Gives each group of a grouping a number when a request of it is found. */
export class ColumnGroups implements GroupCodes {
  readonly column: GroupCodes['column'];
  readonly keys: GroupKey[] = [];
  readonly #numbers = new Map<GroupKey, number>();
  readonly #by: Grouping;
  readonly #tables: FigureTables;
  readonly #wanted: Uint8Array | undefined;
  readonly #months = new Map<number, Codes>();

  /** @param wantedIds bytes of the ids of the grouping's column whose requests are wanted; undefined: all */
  constructor(by: Grouping, tables: FigureTables, wantedIds: (column: GroupCodes['column']) => Uint8Array | undefined) {
    this.#by = by;
    this.column = COLUMN_OF[by];
    this.#tables = tables;
    this.#wanted = wantedIds(this.column);
  }

  /** The number of a group. */
  numberOf(key: GroupKey): number {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.keys.push(key) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }

  /** Of names that clients choose, each month has others. */
  codesAt(at: Instant): Codes {
    const month = UNBOUNDED.has(this.#by) ? startOf('month', at) : 0;
    let codes = this.#months.get(month);
    if (!codes) {
      codes = this.#newCodes(at);
      this.#months.set(month, codes);
    }
    return codes;
  }

  #newCodes(at: Instant): Codes {
    const { requests } = this.#tables;
    const count = { kindId: requests.kinds.entries, sourceId: requests.sources.entries, clientId: undefined };
    const length = count[this.column]?.length ?? requests.clients.lastId();
    const codes = new Int32Array(length + 1).fill(UNKNOWN);
    const wanted = this.#wanted;
    if (wanted) for (let id = 0; id < codes.length; id++) if (wanted[id] !== 1) codes[id] = EXCLUDED;
    const resolve = (id: number): number => {
      const code = this.numberOf(this.#keyOf(id, at));
      codes[id] = code;
      return code;
    };
    return { codes, resolve };
  }

  #keyOf(id: number, at: Instant): GroupKey {
    const { requests, figures } = this.#tables;
    const by = this.#by;
    const field = GROUPINGS[by];
    const entry = {
      kindId: () => requests.kinds.entryOf(id),
      sourceId: () => requests.sources.entryOf(id),
      clientId: () => (id === 0 ? { client: null } : requests.clients.at(id)),
    }[this.column]() as Readonly<Record<string, string | null>>;
    return figures.keyFor(by, entry[field] ?? null, at);
  }
}
