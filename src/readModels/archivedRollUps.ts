import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import {
  archivedFigureOf,
  FIGURE_PERIODS,
  figureOf,
  GROUPINGS,
  type Grouping,
  groupings,
  MAX_NAMES,
  OTHER,
  UNBOUNDED,
} from '../../projections/figures.ts';
import { startOf } from '../../projections/periods.ts';
import { type RequestLogRow, requestLog } from '../../projections/requestLog.ts';
import { usageTrends } from '../../projections/usageTrends.ts';
import { type Instant, instant, position } from '../domain/core/brands.ts';
import { upcast } from '../domain/eventTypes.ts';
import { KindNames } from './kindNames.ts';
import { handlers } from './projections.ts';

/** Version of what a segment keeps of the read models. A later one must go on reading earlier ones. */
export const ROLL_UPS_VERSION = 3;

const PERIODS = { ...requestLog.periods, figures: FIGURE_PERIODS, ...usageTrends.periods };
type RollUpName = keyof typeof PERIODS;

/** The fields that each roll-up groups by. A projection may pass more. */
const GROUPS: Readonly<Record<RollUpName, readonly string[]>> = {
  requestsByKind: ['accountId', 'model', 'effort', 'status'],
  requestsByAttempt: ['attemptedAccountId', 'accountId', 'model', 'effort', 'status'],
  requestsBySource: ['apiKeyId', 'errorCode', 'owner', 'team', 'transport'],
  requestsByErrorCode: ['errorCode'],
  figures: ['by', 'id', 'rest'],
  usageByAccount: ['accountId'],
};

type Sums = Readonly<Record<string, number>>;

/** The sums of one group in one of the shortest periods of its roll-up. */
export interface ArchivedSums {
  readonly rollUp: string;
  readonly start: Instant;
  readonly group: Readonly<Record<string, string | null>>;
  readonly sums: Sums;
}

/** Sums up what the projections make of events, by the shortest periods, in the order of the first event of each group. */
export class RollUpCollector {
  readonly #sums = new Map<string, { readonly sums: Record<string, number> } & ArchivedSums>();
  readonly #names = new Map<Grouping, Set<string>>();
  readonly #kindNames = new KindNames();
  // biome-ignore lint/suspicious/noExplicitAny: one writer serves all projections
  readonly #write: any = {
    insert: (collection: string, _key: string, row: RequestLogRow) => {
      if (collection === 'requests') this.#addFigures(row);
    },
    increment: (rollUp: RollUpName, at: Instant, row: Record<string, string | null>, sums: Sums) =>
      this.#add(rollUp, at, 'model' in row ? { ...row, ...this.#kindNames.kindOf(row as never) } : row, sums),
  };

  /** Adds an event, with its data as stored. */
  add(event: {
    readonly position: number;
    readonly time: number;
    readonly type: string;
    readonly version: number;
    readonly data: string;
  }): void {
    const own = handlers.get(event.type);
    if (!own) return;
    const data = upcast(event.type, event.version, JSON.parse(event.data));
    for (const handle of own)
      handle({ data, position: position(event.position), time: instant(event.time) }, this.#write);
  }

  #addFigures(logged: RequestLogRow): void {
    const row = { ...logged, ...this.#kindNames.kindOf(logged) };
    const figure = archivedFigureOf(figureOf(row));
    for (const by of groupings) {
      const id = row[GROUPINGS[by]];
      const isRest = id !== null && UNBOUNDED.has(by) && (id === OTHER || !this.#isNamed(by, id));
      this.#add('figures', row.requestedAt, isRest ? { by, id: null, rest: 'rest' } : { by, id, rest: null }, figure);
    }
  }

  /** Whether a name is among the first ones: clients choose some of them freely. */
  #isNamed(by: Grouping, name: string): boolean {
    const names = this.#names.get(by) ?? new Set();
    this.#names.set(by, names);
    if (names.size < MAX_NAMES) names.add(name);
    return names.has(name);
  }

  /** The sums for a segment. */
  encode(): Buffer {
    return zstdCompressSync(JSON.stringify([...this.#sums.values()]));
  }

  #add(rollUp: RollUpName, at: Instant, row: Record<string, string | null>, sums: Sums): void {
    const start = startOf(PERIODS[rollUp][0], at);
    const group = Object.fromEntries(GROUPS[rollUp].map((name) => [name, row[name] ?? null]));
    const key = `${rollUp} ${start} ${Object.values(group).join('\n')}`;
    const known = this.#sums.get(key);
    if (!known) {
      this.#sums.set(key, { rollUp, start, group, sums: { ...sums } });
      return;
    }
    for (const [name, value] of Object.entries(sums)) known.sums[name] = (known.sums[name] ?? 0) + value;
  }
}

/** Reads what `RollUpCollector.encode` wrote, also that of earlier versions. */
export const decodeRollUps = (bytes: Uint8Array): ArchivedSums[] =>
  (JSON.parse(zstdDecompressSync(bytes).toString()) as ArchivedSums[]).map(upcastSums);

/** Version 1 knew of a source the key and the error only. */
const upcastSums = (sums: ArchivedSums): ArchivedSums =>
  sums.rollUp === 'requestsByOutcome'
    ? { ...sums, rollUp: 'requestsBySource', group: { owner: null, team: null, transport: 'http', ...sums.group } }
    : sums;
