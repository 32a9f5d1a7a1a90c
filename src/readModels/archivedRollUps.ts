import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { startOf } from '../../projections/periods.ts';
import { requestLog } from '../../projections/requestLog.ts';
import { usageTrends } from '../../projections/usageTrends.ts';
import { type Instant, instant, position } from '../domain/core/brands.ts';
import { upcast } from '../domain/eventTypes.ts';
import { handlers } from './projections.ts';

/** Version of what a segment keeps of the read models. A later one must go on reading earlier ones. */
export const ROLL_UPS_VERSION = 2;

const PERIODS = { ...requestLog.periods, ...usageTrends.periods };
type RollUpName = keyof typeof PERIODS;

/** The fields that each roll-up groups by. A projection may pass more. */
const GROUPS: Readonly<Record<RollUpName, readonly string[]>> = {
  requestsByKind: ['accountId', 'model', 'effort', 'status'],
  requestsByAttempt: ['attemptedAccountId', 'accountId', 'model', 'effort', 'status'],
  requestsBySource: ['apiKeyId', 'errorCode', 'owner', 'team', 'transport'],
  requestsByErrorCode: ['errorCode'],
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
  // biome-ignore lint/suspicious/noExplicitAny: one writer serves all projections
  readonly #write: any = {
    insert: () => undefined,
    increment: (rollUp: RollUpName, at: Instant, row: Record<string, string | null>, sums: Sums) =>
      this.#add(rollUp, at, row, sums),
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
