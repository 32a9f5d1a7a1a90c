import type { Grouping } from '../../../projections/figures.ts';
import { PERIODS, startOf } from '../../../projections/periods.ts';
import type { RequestKind } from '../../../projections/requestLog.ts';
import { type Position, position } from '../../domain/core/brands.ts';
import type { ArchivedSums } from '../archivedRollUps.ts';
import { REST } from '../figureCounts.ts';
import type { Addition } from './addition.ts';
import { type Changes, type Group, groupOf, periodsOf, type RollUpName } from './changes.ts';
import type { ChosenNames } from './chosenNames.ts';
import { idOf, type KindDocument, kindId } from './documents.ts';
import { addFigures, type FigureAddition } from './figureDocuments.ts';
import { newNames } from './figureNames.ts';

/** What an archived segment adds to read models, in place of its events. */
export interface ArchivedChanges extends Pick<Changes, 'kinds' | 'figureNames' | 'figures' | 'additions'> {
  /** What the documents then include: see `RollUpDocument`. */
  readonly upTo: Position;
}

/**
 * The sums of an archived segment; pure.
 * @param names those of the segments before; new ones are added
 * @param after how many segments follow it. Before the first event, the position of a document counts segments: 0 means all of them
 */
export function archivedChanges(all: readonly ArchivedSums[], after: number, names: ChosenNames): ArchivedChanges {
  const upTo = position(-after);
  const kinds = new Map<string, KindDocument>();
  const figures = new Map<string, FigureAddition>();
  const additions = {
    requestsByKind: new Map<string, Addition>(),
    requestsByAttempt: new Map<string, Addition>(),
    requestsBySource: new Map<string, Addition>(),
    requestsByErrorCode: new Map<string, Addition>(),
    usageByAccount: new Map<string, Addition>(),
  };
  const kindOf = (counted: RequestKind): string => {
    const { accountId, model, effort, status } = names.kinds.kindOf(counted);
    const kind = { accountId, model, effort, status };
    const _id = kindId(kind);
    if (!kinds.has(_id)) kinds.set(_id, { _id, ...kind, since: 0 });
    return _id;
  };
  for (const { rollUp, start: time, group: of, sums } of all) {
    const name = rollUp as RollUpName;
    if (rollUp === 'figures') {
      const { by, id = null, rest } = of;
      const key = rest ? REST : names.figures.assign(by as Grouping, id, time);
      addFigures(figures, time, { position: upTo, counts: [[by as Grouping, key, sums]] });
      continue;
    }
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
  return { kinds, figureNames: newNames(names.figures, position(0)), figures, additions, upTo };
}
