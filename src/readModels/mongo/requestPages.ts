import type { Filter } from 'mongodb';
import { endOf, type Period } from '../../../projections/periods.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { matcher, optionsOf } from '../requestKinds.ts';
import type { RequestLogFilter, RequestLogOptions, RequestLogPage, RequestLogRow } from '../requestLogQueries.ts';
import { cut, FAR_AHEAD, type TimePiece } from '../timePieces.ts';
import { type RequestDocument, requestLogRow } from './documents.ts';
import type { Reach } from './reach.ts';
import { searchRequests } from './requestSearch.ts';

/** A piece with more matches than this is entered by its shorter periods, others by their rows. */
const MANY = 2_000;
/** So few kinds are walked one by one, and merged; more are met soon enough along the time. */
const FEW_KINDS = 100;
/** No query may hold a server longer, whatever it was asked. */
export const READING = { maxTimeMS: 10_000 } as const;

/** Conditions on `kind`, and which index serves them best. */
export interface WantedKinds {
  readonly condition: { readonly $in: string[] } | { readonly $nin: string[] };
  readonly areFew: boolean;
}

export interface Wanted {
  readonly from: Instant;
  readonly to: Instant;
  /** Undefined where every kind will do. */
  readonly kinds: WantedKinds | undefined;
}

interface CountedPiece extends TimePiece {
  readonly count: number;
}

const NONE: RequestLogPage = { rows: [], total: 0 };

export async function requestLogPage(
  reach: Reach,
  filter: RequestLogFilter,
  limit: number,
  offset: number,
): Promise<RequestLogPage> {
  const kinds = await wantedKinds(reach, filter);
  if (kinds === 'none') return NONE;
  const wanted: Wanted = { ...rangeOf(filter), kinds };
  if (filter.search) {
    const found = await searchRequests(reach, wanted, filter.search, limit, offset);
    if (found) return found;
  }
  const pieces = (await inOrder(cut(wanted.from, wanted.to), (piece) => counted(reach, kinds, piece))).flat();
  const total = pieces.reduce((sum, { count }) => sum + count, 0);
  return { rows: await rowsAt(reach, await positionsAt(reach, kinds, pieces, limit, offset)), total };
}

export async function requestLogOptions(reach: Reach, filter: RequestLogFilter): Promise<RequestLogOptions> {
  const all = await reach.kinds.upTo(reach.position);
  const { from, to } = rangeOf(filter);
  const counts = (await inOrder(cut(from, to), (piece) => countsByKind(reach, piece))).flat();
  return optionsOf(
    counts.flatMap(({ _id, count }) => {
      // A kind that came after `reach` is not known yet, and does not count yet.
      const kind = all.get(_id);
      return kind ? [[kind, count] as const] : [];
    }),
    filter,
  );
}

export async function answeredModels(reach: Reach): Promise<readonly string[]> {
  const kinds = [...(await reach.kinds.upTo(reach.position)).values()];
  return [...new Set(kinds.filter(({ status }) => status === '200').map(({ model }) => model))].sort();
}

const rangeOf = ({ since, until }: RequestLogFilter) => ({
  from: instant(Math.max(0, since ?? 0)),
  to: instant(Math.min(FAR_AHEAD, until === undefined ? FAR_AHEAD : until + 1)),
});

async function wantedKinds(reach: Reach, filter: RequestLogFilter): Promise<WantedKinds | undefined | 'none'> {
  const matches = matcher(filter);
  if (!matches) return undefined;
  const [ids, others]: [string[], string[]] = [[], []];
  for (const [id, kind] of await reach.kinds.upTo(reach.position)) (matches(kind) ? ids : others).push(id);
  if (ids.length === 0) return 'none';
  if (others.length === 0) return undefined;
  return {
    condition: ids.length <= others.length ? { $in: ids } : { $nin: others },
    areFew: ids.length <= FEW_KINDS,
  };
}

/** Rows of a stretch of time. */
export const between = ({ from, to, kinds }: Wanted): Filter<RequestDocument> => ({
  requestedAt: { $gte: from, $lt: to } as never,
  ...(kinds && { kind: kinds.condition as never }),
});

const indexFor = (kinds: WantedKinds | undefined) => (kinds?.areFew ? 'byKind' : 'byTime');

/** Each period of the piece that holds matches, and how many; the latest first. */
async function counted(reach: Reach, kinds: WantedKinds | undefined, piece: TimePiece): Promise<CountedPiece[]> {
  const { period, from, to } = piece;
  const { requests, requestsByKind, requestsByErrorCode } = reach.collections;
  if (!period) {
    const options = { ...READING, hint: indexFor(kinds) };
    return [{ ...piece, count: await requests.countDocuments(between({ from, to, kinds }), options) }];
  }
  const within = { period, start: { $gte: from, $lt: to } };
  const sum = [{ $group: { _id: '$start', count: { $sum: '$requests' } } }, { $sort: { _id: -1 } }];
  // Without a condition on kinds the smaller roll-up counts the same requests.
  const found = kinds
    ? requestsByKind.aggregate([{ $match: { ...within, kind: kinds.condition } }, ...sum], READING)
    : requestsByErrorCode.aggregate([{ $match: within }, ...sum], READING);
  return ((await found.toArray()) as { _id: Instant; count: number }[])
    .filter(({ count }) => count > 0)
    .map(({ _id: start, count }) => ({ period, from: start, to: endOf(period, start), count }));
}

const finer: Readonly<Record<Period, Period | undefined>> = {
  month: 'day',
  day: 'hour',
  hour: undefined,
  minute: undefined,
};

/** Where matches are far apart along the time, a month of rows may hold no more than a few of them. */
const isEntered = ({ period, count }: CountedPiece, kinds: WantedKinds | undefined): boolean =>
  period !== 'hour' && (count > MANY || (period === 'month' && kinds !== undefined && !kinds.areFew));

/** Positions of one page, found by skipping whole pieces and walking an index only in those that hold the page. */
async function positionsAt(
  reach: Reach,
  kinds: WantedKinds | undefined,
  pieces: readonly CountedPiece[],
  limit: number,
  offset: number,
): Promise<number[]> {
  const found: number[] = [];
  let toSkip = offset;
  const enter = async (inside: readonly CountedPiece[]): Promise<void> => {
    for (const piece of inside) {
      if (found.length >= limit) return;
      const { period, from, to, count } = piece;
      if (toSkip >= count) {
        toSkip -= count;
      } else if (period && isEntered(piece, kinds)) {
        await enter(await counted(reach, kinds, { period: finer[period], from, to }));
      } else {
        const most = Math.min(limit - found.length, count - toSkip);
        found.push(...(await walk(reach, { from, to, kinds }, most, toSkip)));
        toSkip = 0;
      }
    }
  };
  await enter(pieces);
  return found;
}

async function walk(reach: Reach, wanted: Wanted, limit: number, skip: number): Promise<number[]> {
  const rows = await reach.collections.requests
    .find(between(wanted), {
      ...READING,
      hint: indexFor(wanted.kinds),
      projection: { _id: 1 },
      sort: { requestedAt: -1, _id: -1 },
      skip,
      limit,
    })
    .toArray();
  return rows.map(({ _id }) => _id);
}

/** The rows at these positions, the latest first. */
async function rowsAt({ collections }: Reach, positions: readonly number[]): Promise<RequestLogRow[]> {
  if (positions.length === 0) return [];
  const documents = await collections.requests.find({ _id: { $in: [...positions] } }, READING).toArray();
  return documents
    .map((document) => requestLogRow(document as RequestDocument))
    .sort((a, b) => b.requestedAt - a.requestedAt || b.position - a.position);
}

interface KindCount {
  readonly _id: string;
  readonly count: number;
}

async function countsByKind({ collections }: Reach, { period, from, to }: TimePiece): Promise<KindCount[]> {
  const group = { $group: { _id: '$kind', count: { $sum: period ? '$requests' : 1 } } };
  const found = period
    ? collections.requestsByKind.aggregate([{ $match: { period, start: { $gte: from, $lt: to } } }, group], READING)
    : collections.requests.aggregate([{ $match: { requestedAt: { $gte: from, $lt: to } } }, group], {
        ...READING,
        hint: 'byTime',
      });
  return (await found.toArray()) as KindCount[];
}

/** All at once, the results in the order of the values. */
const inOrder = <Value, Result>(values: readonly Value[], work: (value: Value) => Promise<Result>) =>
  Promise.all(values.map(work));
