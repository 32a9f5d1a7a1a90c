import type { Grouping } from '../../../projections/figures.ts';
import { startOf } from '../../../projections/periods.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { EXCLUDED, type GroupCodes, UNKNOWN } from '../columns/chunkSelection.ts';
import { COLUMN_OF } from '../columns/fieldPairs.ts';
import { type GroupKey, keyOf } from '../figureCounts.ts';
import { fieldValues } from './fieldValues.ts';
import type { FigureTables } from './rowFigures.ts';

type Codes = ReturnType<GroupCodes['codesAt']>;

/** Gives each group of a grouping a number when a request of it is found. */
export class ColumnGroups implements GroupCodes {
  readonly column: GroupCodes['column'];
  readonly keys: GroupKey[] = [];
  readonly #numbers = new Map<GroupKey, number>();
  readonly #by: Grouping;
  readonly #tables: FigureTables;
  readonly #wanted: Uint8Array | undefined;
  readonly #months = new Map<number, Codes>();
  /** Whether names have groups by month: each has one of its own while there is room for all. */
  readonly isByMonth: boolean;

  /**
   * @param isByMonth whether a month of the range may have names without a group of their own
   * @param wantedIds bytes of the ids of the grouping's column whose requests are wanted; undefined: all
   */
  constructor(
    by: Grouping,
    tables: FigureTables,
    isByMonth: boolean,
    wantedIds: (column: GroupCodes['column']) => Uint8Array | undefined = () => undefined,
  ) {
    this.isByMonth = isByMonth;
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
    const month = this.isByMonth ? startOf('month', at) : 0;
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
    const value = fieldValues(this.#tables.requests).valueOf(this.#by, id);
    return this.isByMonth ? this.#tables.figures.keyFor(this.#by, value, at) : keyOf(value);
  }
}
