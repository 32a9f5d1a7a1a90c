import { archivedFigureOf, figureOf, GROUPINGS, groupings } from '../../../projections/figures.ts';
import { actorLabels, searchTextOf, sentenceOf, subjectOf } from '../../../projections/history.ts';
import { PERIODS, type Period, startOf } from '../../../projections/periods.ts';
import type { Write } from '../../../projections/projection.ts';
import {
  type AttemptKind,
  type RequestKind,
  type RequestLogRow,
  type RequestSource,
  requestLog,
  type UnloggedRefusals,
} from '../../../projections/requestLog.ts';
import { type UsageSample, usageTrends } from '../../../projections/usageTrends.ts';
import { instant } from '../../domain/core/brands.ts';
import { type KnownEvent, upcast } from '../../domain/eventTypes.ts';
import type { StoredEvent } from '../../eventLog/eventLog.ts';
import { handlers } from '../projections.ts';
import type { Addition } from './addition.ts';
import type { ChosenNames } from './chosenNames.ts';
import {
  type AttemptDocument,
  attemptDocuments,
  type FigureNameDocument,
  type HistoryDocument,
  idOf,
  type KindDocument,
  kindId,
  type RefusalsDocument,
  type RequestDocument,
  refusalsDocument,
  requestDocument,
  type SpanDocument,
  type TextDocument,
  type UsageSampleDocument,
} from './documents.ts';
import { addFigures, type FigureAddition, type FigurePart } from './figureDocuments.ts';
import { newNames } from './figureNames.ts';
import type { LogMark } from './generations.ts';
import { addToSpans } from './rowSpans.ts';

export type RollUpName =
  | 'requestsByKind'
  | 'requestsByAttempt'
  | 'requestsBySource'
  | 'requestsByErrorCode'
  | 'usageByAccount';

/** The changes of a batch of events, computed without the store. */
export interface Changes {
  readonly from: LogMark;
  readonly to: LogMark;
  readonly requests: readonly RequestDocument[];
  readonly attempts: readonly AttemptDocument[];
  readonly refusals: readonly RefusalsDocument[];
  readonly usageSamples: readonly UsageSampleDocument[];
  readonly spans: readonly SpanDocument[];
  readonly kinds: ReadonlyMap<string, KindDocument>;
  readonly figureNames: readonly FigureNameDocument[];
  /** By the id of the document to change. */
  readonly figures: ReadonlyMap<string, FigureAddition>;
  /** By the id of the document to change. */
  readonly additions: Readonly<Record<RollUpName, ReadonlyMap<string, Addition>>>;
  readonly history: readonly HistoryDocument[];
  readonly texts: readonly TextDocument[];
}

export const periodsOf: Readonly<Record<RollUpName, readonly Period[]>> = {
  ...requestLog.periods,
  ...usageTrends.periods,
};

export type Group = AttemptKind & RequestSource;

/** The fields that each roll-up groups by. */
export const groupOf: Readonly<
  Record<RollUpName, (group: Group, kindOf: (kind: RequestKind) => string) => Addition['group']>
> = {
  requestsByKind: (group, kindOf) => ({ kind: kindOf(group) }),
  requestsByAttempt: ({ attemptedAccountId, ...kind }, kindOf) => ({ attemptedAccountId, kind: kindOf(kind) }),
  requestsBySource: ({ apiKeyId, errorCode, owner, team, transport }) => ({
    apiKeyId,
    errorCode,
    owner,
    team,
    transport,
  }),
  requestsByErrorCode: ({ errorCode }) => ({ errorCode }),
  usageByAccount: ({ accountId }) => ({ accountId }),
};

/**
 * The changes of a batch with at least one event; pure.
 * @param names those of earlier events; the new ones of the batch are added
 * @param last the end of the batch; archived events at its end are not among its events
 * @throws UnknownEventType when this build does not know the type of an event
 */
export function changesOf(
  from: LogMark,
  events: readonly StoredEvent[],
  names: ChosenNames,
  last: StoredEvent = events.at(-1) as StoredEvent,
): Changes {
  const requests: RequestDocument[] = [];
  const attempts: AttemptDocument[] = [];
  const refusals: RefusalsDocument[] = [];
  const usageSamples: UsageSampleDocument[] = [];
  const spans = new Map<string, SpanDocument>();
  const kinds = new Map<string, KindDocument>();
  const additions = {
    requestsByKind: new Map<string, Addition>(),
    requestsByAttempt: new Map<string, Addition>(),
    requestsBySource: new Map<string, Addition>(),
    requestsByErrorCode: new Map<string, Addition>(),
    usageByAccount: new Map<string, Addition>(),
  };
  const history: HistoryDocument[] = [];
  const texts: TextDocument[] = [];
  const figures = new Map<string, FigureAddition>();
  let latest = from.latest;
  let at = from.position;

  const kindOf = (counted: RequestKind): string => {
    const kind = names.kinds.kindOf(counted);
    const _id = kindId(kind);
    if (!kinds.has(_id)) {
      const { accountId, model, effort, status } = kind;
      kinds.set(_id, { _id, accountId, model, effort, status, since: last.position });
    }
    return _id;
  };
  // biome-ignore lint/suspicious/noExplicitAny: one writer serves all projections
  const write: Write<any, any> = {
    insert(collection, key, document) {
      if (collection === 'refusals') {
        refusals.push(refusalsDocument(key, document as UnloggedRefusals));
        addToSpans(spans, 'requests', at, (document as UnloggedRefusals).minute);
        return;
      }
      if (collection === 'usageSamples') {
        const { position: _id, ...sample } = document as UsageSample;
        usageSamples.push({ _id, ...sample });
        addToSpans(spans, 'usage', at, sample.time);
        return;
      }
      const row = document as RequestLogRow;
      const kind = kindOf(row);
      const counted = names.kinds.kindOf(row);
      requests.push(requestDocument(row, kind, counted));
      addToSpans(spans, 'requests', at, row.requestedAt);
      attempts.push(...attemptDocuments(row, kind));
      const figure = archivedFigureOf(figureOf(row));
      const named = counted === row ? row : { ...row, ...counted };
      const counts = groupings.map((by): FigurePart['counts'][number] => [
        by,
        names.figures.assign(by, named[GROUPINGS[by]], row.requestedAt),
        figure,
      ]);
      addFigures(figures, row.requestedAt, { position: at, counts });
    },
    increment(rollUp, time, of, sums) {
      const name = rollUp as RollUpName;
      const group = groupOf[name](of as Group, kindOf);
      const groupId = idOf(...Object.values(group));
      const part = { position: at, sums };
      for (const period of PERIODS) {
        if (!periodsOf[name].includes(period)) continue;
        const start = startOf(period, time);
        const _id = `${period} ${start} ${groupId}`;
        const addition = additions[name].get(_id);
        if (addition) addition.parts.push(part);
        else additions[name].set(_id, { period, start, group, parts: [part] });
      }
    },
  };

  for (const { position, time, type, stream, data: stored, metadata } of events) {
    at = position;
    const data = upcast(type, metadata.schemaVersion, stored);
    for (const handle of handlers.get(type) ?? []) handle({ data, position, time }, write);
    const event = { type, data } as KnownEvent;
    if (event.type === 'ClockJumped') latest = event.data.to;
    latest = instant(Math.max(latest, time));
    const subject = subjectOf(stream, event);
    const { actor } = metadata;
    history.push({
      _id: position,
      time,
      latest,
      type,
      subject,
      actor,
      actors: actorLabels(actor),
      sentence: sentenceOf(event),
    });
    const text = searchTextOf(event, subject);
    if (text !== undefined) texts.push({ _id: position, text: text.toLowerCase() });
  }
  const to = { position: last.position, eventId: last.id, latest };
  return {
    from,
    to,
    requests,
    attempts,
    refusals,
    usageSamples,
    spans: [...spans.values()],
    kinds,
    figureNames: newNames(names.figures, to.position),
    figures,
    additions,
    history,
    texts,
  };
}
