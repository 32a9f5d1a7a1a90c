import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { instant, type Position, position } from '../../domain/core/brands.ts';
import { upcast } from '../../domain/eventTypes.ts';
import { type CompletedRequest, RequestCompleted } from '../../domain/request/events.ts';
import { EVENT_COLUMNS, type EventColumns, IN_ORDER, preparePage } from '../../eventLog/sqlite/eventRows.ts';
import { toRecordedEvent } from '../../eventLog/sqlite/reader.ts';
import { findUnknownField } from '../../eventLog/storedJson/unknownField.ts';
import { type Fold, foldPage } from '../fold/fold.ts';
import type { FoldedEvent } from '../fold/foldedEvent.ts';
import { PageContinuity } from './pageContinuity.ts';
import { PageLinker } from './pageLinker.ts';
import type { LinkedPage } from './unpackPage.ts';

/**
 * Up to so many events, parsing them costs less CPU than to compile the readers of packed pages, which are for logs (decision 0119).
 */
export const MAX_PARSED_EVENTS = 4_000;

/** Parsed events that are alive at once: with more, each garbage collection copies them. */
const ROWS_AT_ONCE = 64;

const METADATA = 7;
type Row = [...EventColumns, metadata: string];

/** Reads what a short fold needs by parsing each event. */
export class ParsedPages {
  readonly #database: DatabaseSync;
  readonly #archivePath: string;
  readonly #rows: StatementSync;

  /** @param archivePath as of `ArchivedEvents.open` */
  constructor(database: DatabaseSync, archivePath: string) {
    this.#database = database;
    this.#archivePath = archivePath;
    this.#rows = preparePage(database, `${EVENT_COLUMNS}, metadata`, IN_ORDER, ROWS_AT_ONCE);
  }

  /** The next events after `after`, up to and including `upTo`; none at the end. */
  read(after: Position, upTo: Position): LinkedPage {
    const linker = new PageLinker();
    const events: FoldedEvent[] = [];
    let failure: Error | undefined;
    for (const row of this.#rows.all(after, upTo) as unknown as Row[]) {
      linker.add(row as unknown as EventColumns, row[METADATA]);
      try {
        events.push(foldedEventOf(row as unknown as EventColumns));
      } catch (error) {
        failure = error as Error;
        break;
      }
    }
    return { events, ...(failure && { failure }), links: linker.links };
  }

  /** As of `PageReader`. */
  continuityAfter(after: Position): PageContinuity {
    return new PageContinuity(this.#database, after, this.#archivePath);
  }
}

/**
 * Continues a fold up to a position, with few events between.
 * @returns the first event that does not continue the log before it
 * @throws when an event cannot be read, or its type is unknown to this build
 */
export function continueShortFold(fold: Fold, pages: ParsedPages, upTo: Position): PageContinuity['broken'] {
  const continuity = pages.continuityAfter(fold.state.position);
  for (;;) {
    const page = pages.read(fold.state.position, upTo);
    if (page.links) continuity.check(page.links);
    foldPage(fold, page);
    if (page.events.length === 0 || fold.state.position >= upTo) return continuity.broken;
  }
}

/** @throws as `toRecordedEvent`, which also looks at the fields that the fold does not read */
function foldedEventOf(row: EventColumns): FoldedEvent {
  const [at, , , type, version, time, json] = row;
  if (type !== RequestCompleted.type) return toRecordedEvent(row);
  const data = parsed(version, json);
  if (!data || !isUsual(data) || findUnknownField(type, data) !== undefined) return toRecordedEvent(row);
  return { type, data, position: position(at), time: instant(time) };
}

function parsed(version: number, json: string): CompletedRequest | undefined {
  try {
    return upcast(RequestCompleted.type, version, JSON.parse(json)) as CompletedRequest;
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number';

/** Whether what the fold reads of a request is of the right kind, and no attempt failed, as in nearly all of them. */
function isUsual(request: CompletedRequest): boolean {
  const { keyId, owner, team, announcements, accountId, usage, costMicroDollars, admission, pin, attempts } = request;
  return (
    isText(request.requestId) &&
    isText(request.model) &&
    isText(request.status) &&
    isNumber(request.requestedAt) &&
    (keyId === null || isText(keyId)) &&
    (accountId === null || isText(accountId)) &&
    (owner === undefined || isText(owner)) &&
    (team === undefined || isText(team)) &&
    (announcements === undefined || isNumber(announcements)) &&
    (costMicroDollars === null || isNumber(costMicroDollars)) &&
    (usage === null || (isNumber(usage?.inputTokens) && isNumber(usage.outputTokens))) &&
    (admission === undefined ||
      (isNumber(admission?.decidedAt) && isNumber(admission.asOf) && isNumber(admission.v))) &&
    (pin === undefined || (isText(pin?.digest) && typeof pin.isFallback === 'boolean')) &&
    Array.isArray(attempts) &&
    attempts.every(isPlainSuccess)
  );
}

const isPlainSuccess = (attempt: CompletedRequest['attempts'][number]): boolean =>
  attempt?.outcome === 'ok' &&
  isText(attempt.accountId) &&
  isNumber(attempt.endedAt) &&
  attempt.limitedUntil === undefined &&
  attempt.code === undefined;
