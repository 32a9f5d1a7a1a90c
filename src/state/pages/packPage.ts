import type { EventColumns } from '../../eventLog/sqlite/eventRows.ts';
import { type FoldedRequestParts, type FoldedRequestReaders, foldedRequestReaders } from './foldedRequestReaders.ts';
import type { PageLinks } from './pageLinker.ts';
import { TextIndexes } from './textIndexes.ts';

/** The part of a page that the fold reads, packed for the transfer between threads: each object costs more than its content. */
export interface PackedPage {
  /** `COLUMN_COUNT` numbers per request, by `Column`. Texts are stored as their index; absent values as `ABSENT`. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly requests: number;
  /** Request ids, one per line. */
  readonly requestIds: string;
  /** Of the requests whose attempts the fold needs, by their number in the page: `"attempts":` and the JSON. */
  readonly attempts: ReadonlyMap<number, string>;
  /** All other events, as stored in the log. */
  readonly others: readonly EventColumns[];
  /** New texts. Indexes count all texts since the last page with `resetsTexts`, in order. */
  readonly texts: readonly string[];
  readonly resetsTexts: boolean;
  /** How the events continue each other; absent where this is not checked. */
  readonly links?: PageLinks;
}

/** The columns of `numbers`. From `keyId` on they are the parts of a request, in their order. */
export const Column = {
  position: 0,
  time: 1,
  keyId: 2,
  model: 3,
  requestedAt: 4,
  owner: 5,
  team: 6,
  decidedAt: 7,
  asOf: 8,
  v: 9,
  status: 10,
  accountId: 11,
  inputTokens: 12,
  outputTokens: 13,
  costMicroDollars: 14,
  digest: 15,
  isFallback: 16,
} as const;
export const COLUMN_COUNT = 17;
export const ABSENT = -1;

const { keyId, model, owner, team, status, accountId, digest } = Column;
const TEXTS: readonly number[] = [keyId, model, owner, team, status, accountId, digest];

const isText: readonly boolean[] = Array.from({ length: COLUMN_COUNT }, (_, column) =>
  TEXTS.some((text) => text === column),
);

/** Usually more than there are keys, accounts, models and conversations in use. */
const MAX_TEXTS = 20_000;

/** Rows may have further columns, which the fold does not read. */
const EVENT_COLUMN_COUNT = 7;

/** Packs pages for one `PageUnpacker`, which must open them in the same order. */
export class PagePacker {
  readonly #readers: FoldedRequestReaders;
  readonly #indexes = new TextIndexes();
  readonly #addText = (text: string): void => void this.#texts.push(text);
  // The page that was begun.
  #texts: string[] = [];
  #resetsTexts = false;
  #numbers = new Float64Array();
  #requests = 0;
  #ids: string[] = [];
  #attempts = new Map<number, string>();
  #others: EventColumns[] = [];

  constructor(readers: FoldedRequestReaders = foldedRequestReaders) {
    this.#readers = readers;
  }

  /** Packs a page of rows that were read at once. */
  pack(rows: readonly EventColumns[]): PackedPage {
    this.begin(rows.length);
    this.add(rows);
    return this.end();
  }

  /** Begins a page. @param maxRows that it will have */
  begin(maxRows: number): void {
    this.#resetsTexts = this.#indexes.size > MAX_TEXTS;
    if (this.#resetsTexts) this.#indexes.clear();
    this.#texts = [];
    this.#numbers = new Float64Array(maxRows * COLUMN_COUNT);
    this.#requests = 0;
    this.#ids = [];
    this.#attempts = new Map();
    this.#others = [];
  }

  /** Packs the next rows of the page. */
  add(rows: readonly EventColumns[]): void {
    const ids: string[] = [];
    for (const row of rows) {
      // By index here and below: code that destructures lists takes V8 long to compile, at each start.
      const parts = row[3] === 'RequestCompleted' ? this.#readers[row[4]]?.(row[6]) : undefined;
      if (parts) {
        this.#packRequest(row[0], row[5], parts);
        ids.push(parts[1]);
      } else
        this.#others.push(row.length > EVENT_COLUMN_COUNT ? (row.slice(0, EVENT_COLUMN_COUNT) as EventColumns) : row);
    }
    // Joined now: an id is a slice of its event's JSON, and would keep that in memory until the page is complete.
    if (ids.length > 0) this.#ids.push(ids.join('\n'));
  }

  /** @returns the page since `begin` */
  end(): PackedPage {
    return {
      numbers: this.#numbers,
      requests: this.#requests,
      requestIds: this.#ids.join('\n'),
      attempts: this.#attempts,
      others: this.#others,
      texts: this.#texts,
      resetsTexts: this.#resetsTexts,
    };
  }

  #packRequest(position: number, time: number, parts: FoldedRequestParts): void {
    const at = this.#requests * COLUMN_COUNT;
    this.#numbers[at + Column.position] = position;
    this.#numbers[at + Column.time] = time;
    for (let column: number = Column.keyId; column < COLUMN_COUNT; column += 1) {
      this.#numbers[at + column] = this.#pack(column, parts[column] as string | undefined);
    }
    const attempts = parts[COLUMN_COUNT];
    if (attempts !== undefined) this.#attempts.set(this.#requests, attempts);
    this.#requests += 1;
  }

  #pack(column: number, part: string | undefined): number {
    if (part === undefined) return ABSENT;
    if (isText[column]) return this.#indexes.indexOf(part, this.#addText);
    return column === Column.isFallback ? Number(part === 'true') : naturalOf(part);
  }
}

/** As many digits as are exact in any case. */
const MAX_DIGITS = 15;

/** `Number` for digits, in half of its time. */
function naturalOf(digits: string): number {
  if (digits.length > MAX_DIGITS) return Number(digits);
  let number = 0;
  for (let at = 0; at < digits.length; at += 1) number = number * 10 + digits.charCodeAt(at) - ZERO;
  return number;
}

const ZERO = 0x30;
