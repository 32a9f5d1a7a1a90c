import { followsWindowsClock } from '../../domain/limits/windowsClock.ts';
import { RequestCompleted } from '../../domain/request/events.ts';
import type { EventColumns } from '../../eventLog/sqlite/eventRows.ts';
import {
  type FoldedRequestParts,
  type FoldedRequestReaders,
  foldedRequestReaders,
  Part,
} from './foldedRequestReaders.ts';
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

/** The columns of `numbers`. */
export const Column = {
  position: 0,
  time: 1,
  keyId: 2,
  model: 3,
  owner: 4,
  team: 5,
  status: 6,
  accountId: 7,
  digest: 8,
  inputTokens: 9,
  outputTokens: 10,
  costMicroDollars: 11,
  isFallback: 12,
  /** The time whose window the request counts in, unless an acceptance of the clock sets it back. */
  countedAt: 13,
  decidedAt: 14,
  v: 15,
  announcements: 16,
} as const;
export const COLUMN_COUNT = 17;
export const ABSENT = -1;

/** The part of a request in each of the columns from `keyId` to `digest`, which are texts. */
const TEXT_PARTS = [Part.keyId, Part.model, Part.owner, Part.team, Part.status, Part.accountId, Part.digest];
/** The part of a request in each of the columns from `inputTokens` to `costMicroDollars`. */
const NUMBER_PARTS = [Part.inputTokens, Part.outputTokens, Part.costMicroDollars];

/** Usually more than there are keys, accounts, models and conversations in use. */
const MAX_TEXTS = 20_000;

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
  #idsOfRows: string[] = [];
  #attempts = new Map<number, string>();
  #others: EventColumns[] = [];

  constructor(readers: FoldedRequestReaders = foldedRequestReaders) {
    this.#readers = readers;
  }

  /** Packs a page. */
  pack(rows: readonly EventColumns[]): PackedPage {
    this.begin(rows.length);
    for (const row of rows) this.add(row);
    this.endRows();
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

  /** Packs the next event of the page. */
  add(row: EventColumns): void {
    const isPacked = row[3] === RequestCompleted.type && this.addRequest(row[0], row[4], row[5], row[6]);
    if (!isPacked) this.addOther(row);
  }

  /** Adds the next event of the page as it is stored. */
  addOther(row: EventColumns): void {
    this.#others.push(row);
  }

  /** Packs the next event of the page, a completed request. @returns false if it must be added as it is stored */
  addRequest(position: number, version: number, time: number, json: string): boolean {
    const parts = this.#readers[version]?.(json);
    if (!parts) return false;
    this.#packRequest(position, time, parts);
    this.#idsOfRows.push(parts[1]);
    return true;
  }

  /** Called after rows that were read at once: an id is a slice of its event's JSON, and keeps that in memory. */
  endRows(): void {
    if (this.#idsOfRows.length === 0) return;
    this.#ids.push(this.#idsOfRows.join('\n'));
    this.#idsOfRows = [];
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
    const numbers = this.#numbers;
    const at = this.#requests * COLUMN_COUNT;
    numbers[at + Column.position] = position;
    numbers[at + Column.time] = time;
    for (let index = 0; index < TEXT_PARTS.length; index += 1) {
      const part = parts[TEXT_PARTS[index] as number];
      numbers[at + Column.keyId + index] = part === undefined ? ABSENT : this.#indexes.indexOf(part, this.#addText);
    }
    for (let index = 0; index < NUMBER_PARTS.length; index += 1) {
      numbers[at + Column.inputTokens + index] = naturalOf(parts[NUMBER_PARTS[index] as number]);
    }
    numbers[at + Column.isFallback] = Number(parts[Part.isFallback] === 'true');
    const v = naturalOf(parts[Part.v]);
    const isByClock = v !== ABSENT && followsWindowsClock(v);
    numbers[at + Column.countedAt] = naturalOf(isByClock ? parts[Part.asOf] : parts[Part.requestedAt]);
    numbers[at + Column.decidedAt] = isByClock ? naturalOf(parts[Part.decidedAt]) : ABSENT;
    numbers[at + Column.v] = v;
    numbers[at + Column.announcements] = naturalOf(parts[Part.announcements]);
    const attempts = parts[Part.attempts];
    if (attempts !== undefined) this.#attempts.set(this.#requests, attempts);
    this.#requests += 1;
  }
}

/** As many digits as are exact in any case. */
const MAX_DIGITS = 15;

/** `Number` for digits, in half of its time; `ABSENT` for none. */
function naturalOf(digits: string | undefined): number {
  if (digits === undefined) return ABSENT;
  if (digits.length > MAX_DIGITS) return Number(digits);
  let number = 0;
  for (let at = 0; at < digits.length; at += 1) number = number * 10 + digits.charCodeAt(at) - ZERO;
  return number;
}

const ZERO = 0x30;
