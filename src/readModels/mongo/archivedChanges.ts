import { PERIODS, startOf } from '../../../projections/periods.ts';
import type { RequestKind } from '../../../projections/requestLog.ts';
import { type Position, position } from '../../domain/core/brands.ts';
import type { ArchivedSums } from '../archivedRollUps.ts';
import { type Addition, type Changes, type Group, groupOf, periodsOf, type RollUpName } from './changes.ts';
import { idOf, type KindDocument, kindId } from './documents.ts';

/** What an archived segment adds to read models, in place of its events. */
export interface ArchivedChanges extends Pick<Changes, 'kinds' | 'additions'> {
  /** What the documents then include: see `RollUpDocument`. */
  readonly upTo: Position;
}

/**
 * The sums of an archived segment; pure.
 * @param after how many segments follow it. Before the first event, the position of a document counts segments: 0 means all of them
 */
export function archivedChanges(all: readonly ArchivedSums[], after: number): ArchivedChanges {
  const upTo = position(-after);
  const kinds = new Map<string, KindDocument>();
  const additions = {
    requestsByKind: new Map<string, Addition>(),
    requestsByAttempt: new Map<string, Addition>(),
    requestsBySource: new Map<string, Addition>(),
    requestsByErrorCode: new Map<string, Addition>(),
    usageByAccount: new Map<string, Addition>(),
  };
  const kindOf = ({ accountId, model, effort, status }: RequestKind): string => {
    const kind = { accountId, model, effort, status };
    const _id = kindId(kind);
    if (!kinds.has(_id)) kinds.set(_id, { _id, ...kind, since: 0 });
    return _id;
  };
  for (const { rollUp, start: time, group: of, sums } of all) {
    const name = rollUp as RollUpName;
    // MongoDB has no figures: see docs/decisions/0089-figures.md.
    if (!(name in additions)) continue;
    const group = groupOf[name](of as unknown as Group, kindOf);
    const groupId = idOf(...Object.values(group));
    for (const period of PERIODS) {
      if (!periodsOf[name].includes(period)) continue;
      const start = startOf(period, time);
      const _id = `${period} ${start} ${groupId}`;
      const addition = additions[name].get(_id);
      if (addition) addition.parts.push({ position: upTo, sums });
      else additions[name].set(_id, { period, start, group, parts: [{ position: upTo, sums }] });
    }
  }
  return { kinds, additions, upTo };
}
