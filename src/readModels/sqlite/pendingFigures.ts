import {
  FIGURE_PERIODS,
  type Figure,
  type FigureRow,
  figureOf,
  GROUPINGS,
  type Grouping,
} from '../../../projections/figures.ts';
import { startOf } from '../../../projections/periods.ts';
import type { RequestKind, RequestLogRow, RequestSource } from '../../../projections/requestLog.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { type ColumnName, type RequestValues, valuesOf } from '../columns/requestChunk.ts';
import { GroupedCounts, type GroupKey, NONE } from '../figureCounts.ts';
import type { MonthlyNames } from '../monthlyNames.ts';
import type { Dictionary } from './dictionary.ts';
import { type CommonGroups, commonGroups, groupsByQuarter, type RequestGroups } from './pendingGroups.ts';

/** Requests and quarters of an hour that are written together: a row costs as much for one request as for hundreds. */
const MAX_REQUESTS = 8_192;
const MAX_QUARTERS = 24;

/** What sums are kept by: each grouping, and all requests in one group, whose key is that of no value. */
export type SumsBy = Grouping | 'all';

/** What figures need of a request beside its kind and its source. */
export type FigureNumbers = Omit<FigureRow, keyof RequestKind | keyof RequestSource> &
  Pick<RequestLogRow, 'position' | 'attempts'>;

/** The ids that the request log gives a request's kind, its source and its client. */
export interface RowIds {
  readonly kindId: number;
  readonly sourceId: number;
  /** Null when nothing is known of the client. */
  readonly clientId: number | null;
}

/** The groups of requests of one kind, of one source or of one client. */
type CommonKeys = Partial<Readonly<Record<SumsBy, GroupKey>>>;

/** Each grouping is by a field of the kind of a request, of its source, or by its client. */
const PARTS = [
  ['account', 'model', 'effort', 'status'],
  ['key', 'owner', 'team', 'error', 'transport'],
  ['client'],
] as const satisfies readonly (readonly Grouping[])[];
type Quarter = readonly [
  kinds: Map<number, CommonKeys>,
  sources: Map<number, CommonKeys>,
  clients: Map<number, CommonKeys>,
];

type PartNumber = 0 | 1 | 2;

/** The part that a grouping is by; all requests are those of the part with the fewest. */
const partOf = (by: SumsBy): PartNumber =>
  by === 'all' ? 1 : (PARTS.findIndex((own) => (own as readonly Grouping[]).includes(by)) as PartNumber);

/** The requests of one grouping that queries have asked for, summed up to one of them. */
interface Grouped {
  length: number;
  readonly byQuarter: Map<Instant, GroupedCounts>;
}

/** The place of each number that is kept of a request. */
const PLACES = {
  quarter: 0,
  kindId: 1,
  sourceId: 2,
  /** The number of its client's name, see `#clients`. */
  client: 3,
  inputTokens: 4,
  cachedInputTokens: 5,
  outputTokens: 6,
  reasoningTokens: 7,
  costMicroDollars: 8,
  latencyMs: 9,
  firstByteMs: 10,
  requestedAt: 11,
  position: 12,
  clientId: 13,
  attempts: 14,
} as const;
const WIDTH = Object.keys(PLACES).length;

/** The columns that are made of several numbers. */
const DERIVED = {
  generatingMs: (figure) => figure.generatingMs,
  latencyBin: (figure) => figure.latencyBin,
  firstByteBin: ({ firstByteBin }) => (firstByteBin === null ? 0 : firstByteBin + 1),
} as const satisfies Partial<Record<ColumnName, (figure: Figure) => number>>;

/** The latest requests, before they are written. A request is a row of numbers at first: most are summed up only when thousands of them are. */
export class PendingFigures {
  readonly #dictionaries: {
    readonly kinds: Dictionary<RequestKind>;
    readonly sources: Dictionary<RequestSource>;
  };
  readonly #names: MonthlyNames;
  readonly #rows = new Float64Array(MAX_REQUESTS * WIDTH);
  #length = 0;
  /** Those of the requests that are summed up. */
  #figures: Figure[] = [];
  readonly #clients: (string | null)[] = [];
  readonly #clientIds = new Map<string | null, number>();
  readonly #quarters = new Map<number, Quarter>();
  #lastQuarter = -1;
  readonly #grouped = new Map<SumsBy, Grouped>();

  constructor(
    dictionaries: { readonly kinds: Dictionary<RequestKind>; readonly sources: Dictionary<RequestSource> },
    names: MonthlyNames,
  ) {
    this.#dictionaries = dictionaries;
    this.#names = names;
  }

  /** Whether others must be written before a request of this time is added. */
  isFull(requestedAt: Instant): boolean {
    if (this.#length >= MAX_REQUESTS) return true;
    const quarter = startOf(FIGURE_PERIODS[0], requestedAt);
    return quarter !== this.#lastQuarter && this.#quarters.size >= MAX_QUARTERS && !this.#quarters.has(quarter);
  }

  add(row: FigureNumbers, { kindId, sourceId, clientId }: RowIds): void {
    const quarter = startOf(FIGURE_PERIODS[0], row.requestedAt);
    if (quarter !== this.#lastQuarter) {
      if (!this.#quarters.has(quarter)) this.#quarters.set(quarter, [new Map(), new Map(), new Map()]);
      this.#lastQuarter = quarter;
    }
    const rows = this.#rows;
    let at = this.#length++ * WIDTH;
    rows[at++] = quarter;
    rows[at++] = kindId;
    rows[at++] = sourceId;
    rows[at++] = this.#clientIdOf(row.client);
    rows[at++] = row.inputTokens ?? 0;
    rows[at++] = row.cachedInputTokens ?? 0;
    rows[at++] = row.outputTokens ?? 0;
    rows[at++] = row.reasoningTokens ?? 0;
    rows[at++] = row.costMicroDollars ?? 0;
    rows[at++] = row.latencyMs;
    rows[at++] = row.firstByteMs ?? -1;
    rows[at++] = row.requestedAt;
    rows[at++] = row.position;
    rows[at++] = clientId ?? 0;
    rows[at] = row.attempts;
  }

  get length(): number {
    return this.#length;
  }

  /** The requests by columns. */
  values(): RequestValues {
    this.sumUp();
    const figures = this.#figures;
    return valuesOf((name) => {
      const values = new Float64Array(this.#length);
      if (name in DERIVED) {
        const derive = DERIVED[name as keyof typeof DERIVED];
        for (let index = 0; index < values.length; index++) values[index] = derive(figures[index] as Figure);
      } else {
        const place = PLACES[name as keyof typeof PLACES];
        for (let index = 0; index < values.length; index++) values[index] = this.#rows[index * WIDTH + place] as number;
      }
      return values;
    });
  }

  /**
   * The counts of one grouping by quarters of an hour. They are kept, so that the next query adds only the requests since this one. The
   * counts must not be changed.
   */
  grouped(by: SumsBy): ReadonlyMap<Instant, GroupedCounts> {
    this.sumUp();
    const grouped = this.#grouped.get(by) ?? { length: 0, byQuarter: new Map<Instant, GroupedCounts>() };
    this.#grouped.set(by, grouped);
    const part = partOf(by);
    let last: { readonly start: number; readonly groups: GroupedCounts; readonly keys: Quarter[0] } | undefined;
    for (; grouped.length < this.#length; grouped.length++) {
      const first = grouped.length * WIDTH;
      const start = this.#rows[first] as number;
      if (last?.start !== start) {
        const groups = grouped.byQuarter.get(instant(start)) ?? new GroupedCounts();
        grouped.byQuarter.set(instant(start), groups);
        last = { start, groups, keys: (this.#quarters.get(start) as Quarter)[part] };
      }
      const keys = last.keys.get(this.#rows[first + 1 + part] as number) as CommonKeys;
      last.groups.of(by === 'all' ? NONE : (keys[by] as GroupKey)).addFigure(this.#figures[grouped.length] as Figure);
    }
    return grouped.byQuarter;
  }

  /** Returns the groups of all requests by quarters of an hour, for one grouping after the other. */
  groups(): (by: SumsBy) => RequestGroups {
    this.sumUp();
    const parts = [0, 1, 2].map((part) => {
      const quarters = new Map([...this.#quarters].map(([start, own]) => [start, own[part] as Quarter[0]]));
      return commonGroups(
        this.#length,
        quarters,
        (request) => this.#rows[request * WIDTH] as number,
        (request) => this.#rows[request * WIDTH + 1 + part] as number,
      );
    });
    return (by) =>
      groupsByQuarter(parts[partOf(by)] as CommonGroups<CommonKeys>, (keys) =>
        by === 'all' ? NONE : (keys[by] as GroupKey),
      );
  }

  /** Sums up the requests added since the last time, so that their names have groups. */
  sumUp(): void {
    for (let index = this.#figures.length; index < this.#length; index++) this.#sumUp(index * WIDTH);
  }

  clear(): void {
    this.#length = 0;
    this.#figures = [];
    this.#clients.length = 0;
    this.#clientIds.clear();
    this.#quarters.clear();
    this.#lastQuarter = -1;
    this.#grouped.clear();
  }

  #sumUp(first: number): void {
    this.#figures.push(this.#figureAt(first));
    const quarter = this.#quarters.get(this.#rows[first] as number) as Quarter;
    // Nearly all have the fields of one before.
    for (let part = 0; part < PARTS.length; part++) {
      const id = this.#rows[first + 1 + part] as number;
      const known = quarter[part as PartNumber];
      if (!known.has(id)) known.set(id, this.#keysOf(part as PartNumber, id, instant(this.#rows[first] as number)));
    }
  }

  #keysOf(part: PartNumber, id: number, start: Instant): CommonKeys {
    const fields = this.#fieldsOf(part, id);
    return Object.fromEntries(
      PARTS[part].map((by) => [by, this.#names.assign(by, fields[GROUPINGS[by]] ?? null, start)]),
    );
  }

  #fieldsOf(part: PartNumber, id: number): Partial<FigureRow> {
    if (part === 0) return this.#dictionaries.kinds.entryOf(id);
    return part === 1 ? this.#dictionaries.sources.entryOf(id) : { client: this.#clients[id] ?? null };
  }

  #figureAt(first: number): Figure {
    const rows = this.#rows;
    const firstByteMs = rows[first + PLACES.firstByteMs] as number;
    return figureOf({
      status: this.#dictionaries.kinds.entryOf(rows[first + PLACES.kindId] as number).status,
      inputTokens: rows[first + PLACES.inputTokens] as number,
      cachedInputTokens: rows[first + PLACES.cachedInputTokens] as number,
      outputTokens: rows[first + PLACES.outputTokens] as number,
      reasoningTokens: rows[first + PLACES.reasoningTokens] as number,
      costMicroDollars: rows[first + PLACES.costMicroDollars] as number,
      latencyMs: rows[first + PLACES.latencyMs] as number,
      firstByteMs: firstByteMs < 0 ? null : firstByteMs,
    });
  }

  #clientIdOf(client: string | null): number {
    let id = this.#clientIds.get(client);
    if (id === undefined) {
      id = this.#clients.push(client) - 1;
      this.#clientIds.set(client, id);
    }
    return id;
  }
}
