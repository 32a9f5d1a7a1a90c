import type { AccountId, ApiKeyId } from '../../domain/core/brands.ts';
import { instant } from '../../domain/core/brands.ts';
import { RequestImported } from '../../domain/moving/events.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import type { EventLog, EventToAppend } from '../../eventLog/eventLog.ts';
import type { Cause } from '../../state/commands/commandHandler.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { CannotImport } from './cannotImport.ts';
import type { ReportItem } from './importReport.ts';
import type { SourceDatabase } from './openDatabase.ts';
import { type Left, sourceRequests } from './sourceRequests.ts';

/** The stream of all requests that were imported from codex-lb, whatever the import. */
export const IMPORTED_REQUESTS_STREAM = 'importedRequests-codex-lb';

/** Events of one append: below what EventStoreDB takes at once. */
const BATCH = 200;

/** What will be appended of a request log. */
export interface RequestPlan {
  /** The number of requests that will be appended. */
  readonly wanted: number;
  readonly items: readonly ReportItem[];
  readonly options: RequestPlanOptions;
}

interface RequestPlanOptions {
  readonly isWanted: boolean;
  /** Ids of requests that were imported before. */
  readonly known: ReadonlySet<string>;
  readonly accountIds: ReadonlyMap<string, AccountId>;
  readonly keyIds: ReadonlyMap<string, ApiKeyId>;
}

/**
 * The ids of the requests that were imported before.
 * @throws CannotImport when the log lacks some of them: then nothing says which ones
 */
export async function importedRequests(
  log: EventLog,
  { revisions }: Pick<HotState, 'revisions'>,
): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for await (const { data } of log.readStream(IMPORTED_REQUESTS_STREAM)) {
    known.add((data as { requestId: string }).requestId);
  }
  const count = (revisions.get(IMPORTED_REQUESTS_STREAM) ?? -1) + 1;
  if (known.size >= count) return known;
  throw new CannotImport(
    `${count - known.size} requests that were imported before are not in the log any more, because the stream ${IMPORTED_REQUESTS_STREAM} was truncated in EventStoreDB, so svc cannot tell which ones it has. Restore EventStoreDB, or import without --requests. Nothing was imported.`,
  );
}

/** Counts what an import will append, and checks every row before anything is changed. @throws CannotImport */
export function planRequests(source: SourceDatabase, options: RequestPlanOptions): RequestPlan {
  const left: Record<Left, number> = { warm_up: 0, deleted: 0 };
  let [wanted, there] = [0, 0];
  for (const request of sourceRequests(source, { importId: '', ...options })) {
    if (typeof request === 'string') left[request] += 1;
    else if (options.known.has(request.requestId)) there += 1;
    else wanted += 1;
  }
  return { wanted: options.isWanted ? wanted : 0, items: itemsOf({ wanted, there, ...left }, options), options };
}

interface Counts extends Record<Left, number> {
  readonly wanted: number;
  readonly there: number;
}

function itemsOf({ wanted, there, warm_up, deleted }: Counts, { isWanted }: RequestPlanOptions): ReportItem[] {
  const item = (count: number, what: string, outcome: ReportItem['outcome'], reasons: string[]) =>
    count > 0 ? [{ kind: 'requests', name: `${count} ${what}`, outcome, reasons } as const] : [];
  if (!isWanted) {
    return item(wanted, 'requests', 'left', ['Add --requests to take them over into the request log.']);
  }
  return [
    ...item(wanted, 'requests', 'changed', [
      'They are marked as imported: without addresses, conversations, paths and attempts, and no limit counts them.',
    ]),
    ...item(there, 'requests', 'there', ['They were imported before.']),
    ...item(warm_up, 'warm-up requests', 'left', ['codex-lb sent them itself, and its figures leave them out.']),
    ...item(deleted, 'deleted requests', 'left', ['They were of accounts that were deleted there.']),
  ];
}

interface Target {
  readonly log: EventLog;
  readonly importId: string;
  readonly cause: Cause;
}

/**
 * Appends the requests in the order of the source. One that was interrupted goes on when it is run again.
 * @throws CannotImport when the log refuses some of them
 */
export async function appendRequests(
  source: SourceDatabase,
  { options }: RequestPlan,
  { log, importId, cause }: Target,
): Promise<void> {
  let revision = options.known.size - 1;
  let batch: EventToAppend[] = [];
  const append = async () => {
    const outcome = await log.append(IMPORTED_REQUESTS_STREAM, revision, batch);
    if (outcome.kind !== 'committed') {
      throw new CannotImport(
        `The event log refuses imported requests (${outcome.kind}). Run this again: it goes on where it stopped.`,
      );
    }
    revision = outcome.revision;
    batch = [];
  };
  for (const request of sourceRequests(source, { importId, ...options })) {
    if (typeof request === 'string' || options.known.has(request.requestId)) continue;
    batch.push({ ...RequestImported(request), id: newEventId(), time: instant(Date.now()), ...cause });
    if (batch.length === BATCH) await append();
  }
  if (batch.length > 0) await append();
}
