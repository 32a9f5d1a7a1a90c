import type { Collection, Document } from 'mongodb';
import { spanOf } from '../cut.ts';
import type { Collections } from './collections.ts';
import type { GenerationBuilder } from './generationBuilder.ts';

const MAX_DIFFERENCES = 10;
/** In characters. */
const MAX_VALUE_LENGTH = 200;

type Name = keyof Collections;
const ROLL_UPS: readonly Name[] = [
  'requestsByKind',
  'requestsByAttempt',
  'requestsBySource',
  'requestsByErrorCode',
  'figures',
  'usageByAccount',
];
/** Documents whose id begins with their position. */
const SEVERAL_PER_EVENT: readonly Name[] = ['attempts', 'refusals'];
/** Fields that depend on the boundaries of batches. */
const BATCH_DEPENDENT_FIELDS: ReadonlySet<string> = new Set(['position', 'since']);

interface ChangedSum {
  readonly name: Name;
  readonly live: Document;
}

/**
 * Compares every document of the live generation with its counterpart in the fresh one, which reaches the position that the
 * live one had at the start. Sums that have changed in the live one since are compared afterwards: for each, the fresh
 * generation is built up to the sum's position.
 */
export async function compareGenerations(
  live: Collections,
  fresh: Collections,
  builder: GenerationBuilder,
): Promise<{ rows: number; differences: string[] }> {
  const end = builder.mark.position;
  const differences: string[] = [];
  const changedSums: ChangedSum[] = [];
  let rows = 0;
  for (const name of Object.keys(live) as Name[]) {
    for await (const [left, right] of pairs(live[name] as never, fresh[name] as never)) {
      if (differences.length >= MAX_DIFFERENCES) return { rows, differences };
      if (left && isLater(name, left, right, end)) {
        if (ROLL_UPS.includes(name)) changedSums.push({ name, live: left });
        continue;
      }
      rows++;
      differences.push(...describeDifference(name, left, right));
    }
  }
  for (const { name, live: left } of changedSums.toSorted((a, b) => a.live.position - b.live.position)) {
    if (differences.length >= MAX_DIFFERENCES) break;
    await builder.buildTo(left.position);
    rows++;
    differences.push(
      ...describeDifference(name, left, await (fresh[name] as unknown as Collection).findOne({ _id: left._id })),
    );
  }
  return { rows, differences };
}

/** Whether the live document was added or changed after the position that both generations include. */
function isLater(name: Name, live: Document, fresh: Document | null, end: number): boolean {
  if (ROLL_UPS.includes(name)) return live.position > end;
  if (name === 'kinds' || name === 'figureNames') return !fresh && live.since > end;
  if (name === 'rowSpans') return live.span >= spanOf(end);
  return (SEVERAL_PER_EVENT.includes(name) ? Number.parseInt(live._id, 10) : live._id) > end;
}

const IN_ORDER = { sort: { _id: 1 } } as const;

/** Pairs documents of the same id; the other side is null where a document is missing. */
async function* pairs(
  live: Collection,
  fresh: Collection,
): AsyncGenerator<[live: Document | null, fresh: Document | null]> {
  const [left, right] = [live.find({}, IN_ORDER), fresh.find({}, IN_ORDER)];
  let [a, b] = [await left.next(), await right.next()];
  while (a || b) {
    const order = !a ? 1 : !b ? -1 : a._id === b._id ? 0 : a._id < b._id ? -1 : 1;
    yield [order <= 0 ? a : null, order >= 0 ? b : null];
    if (order <= 0) a = await left.next();
    if (order >= 0) b = await right.next();
  }
}

function describeDifference(name: Name, live: Document | null, fresh: Document | null): string[] {
  const label = `${name} ${String((live ?? fresh)?._id)}`;
  if (!fresh) return [`${label}: is only in the live read models`];
  if (!live) return [`${label}: is missing from the live read models`];
  const fields = new Set([...Object.keys(live), ...Object.keys(fresh)]);
  for (const field of fields) {
    const [left, right] = [live[field], fresh[field]].map((value) => JSON.stringify(value));
    if (left === right || BATCH_DEPENDENT_FIELDS.has(field)) continue;
    const shown = (value: string | undefined) => value?.slice(0, MAX_VALUE_LENGTH) ?? 'missing';
    return [`${label}: ${field} is ${shown(left)} in the live read models, ${shown(right)} rebuilt`];
  }
  return [];
}
