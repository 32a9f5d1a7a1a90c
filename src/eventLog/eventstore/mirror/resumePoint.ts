import { UnknownError } from '@eventstore/db-client';
import type { LogEnd } from '../../sqlite/logEnd.ts';
import type { ConfirmStore, EventStoreClient } from '../client/client.ts';
import { isDeletedStream } from '../client/failures.ts';
import type { NativePosition } from '../client/nativePosition.ts';
import { readAllOnce, readStreamOnce } from '../client/reads.ts';
import { INSTALLATION_STREAM } from './installationStream.ts';

/** A handled event and its position. Reading resumes after it only if the store still has it there. */
export interface ResumeMark {
  readonly native: NativePosition;
  readonly id: string;
}

/** What a node knows of its store from earlier reads. */
export interface KnownStore {
  /** Events after which to resume, the latest first; none before the first read. */
  readonly marks: readonly ResumeMark[];
  /** Id of the first event of the vault; undefined while it is not known. */
  readonly installation: string | undefined;
}

/** The store no longer has the history that was read from it before. */
export class LogReplaced extends Error {
  override readonly name: string = 'LogReplaced';
  readonly code = 'POSITION_BEYOND_LOG';
  constructor(message?: string) {
    super(
      message ??
        'EventStoreDB lacks the last event that this node has read from it: it was restored from an older backup, or ' +
          'SVC_EVENTSTORE_URL names another server. See "Restoring a backup" in docs/operation.md.',
    );
  }
}

/** The store lacks events that were read from it before, with the last one that it still has. */
export class StoreLacksEvents extends LogReplaced {
  readonly found: LogEnd;
  constructor(message: string, found: LogEnd) {
    super(message);
    this.found = found;
  }
}

/** The store holds the data of another installation, or none. */
export class StoreForeign extends LogReplaced {
  override readonly name = 'StoreForeign';
  constructor() {
    super(
      'EventStoreDB holds the data of another installation, or none: SVC_EVENTSTORE_URL names another server, or its ' +
        'data were replaced. See "Restoring a backup" in docs/operation.md.',
    );
  }
}

/**
 * Position of the first mark that the store still has. Checked before each subscription, because a subscription from
 * beyond the end of the log waits silently (docs/stores.md#eventstoredb-positions-and-resuming).
 * @throws StoreForeign | LogReplaced when the store has none of the marks
 */
export async function findResumePoint(
  client: EventStoreClient,
  { marks, installation }: KnownStore,
): Promise<NativePosition | undefined> {
  for (const mark of marks) if (await hasEventAt(client, mark)) return mark.native;
  if (marks.length === 0) return undefined;
  throw installation !== undefined && (await readInstallation(client)) !== installation
    ? new StoreForeign()
    : new LogReplaced();
}

/** Where reading goes on, and what is not handled a second time. */
export interface Resume {
  readonly from: NativePosition | undefined;
  /** All events up to here were handled. */
  readonly handled: NativePosition | undefined;
}

export interface ResumeOptions {
  /** Called once the store is known to be that of this installation: gets what it says of archived days. */
  readonly synchronise: () => Promise<void>;
  /** The last event that is never archived; undefined when the last event of all is not archived. */
  readonly kept: () => ResumeMark | undefined;
}

/**
 * As `findResumePoint`, for a store whose archived days may have been removed: a node that was away reads on behind the last
 * event that is never archived, if all that it has read since is archived.
 * @throws StoreForeign | LogReplaced, and what `synchronise` throws
 */
export async function findResume(
  client: EventStoreClient,
  known: KnownStore,
  { synchronise, kept }: ResumeOptions,
): Promise<Resume> {
  try {
    const from = await findResumePoint(client, known);
    await synchronise();
    return { from, handled: from };
  } catch (error) {
    if (!(error instanceof LogReplaced) || error instanceof StoreForeign || known.installation === undefined)
      throw error;
    await synchronise();
    const mark = kept();
    if (!mark || !(await hasEventAt(client, mark))) throw error;
    return { from: mark.native, handled: known.marks[0]?.native };
  }
}

/** Confirms that a store has what a node knows of it. @param known called for each confirmation */
export const confirmStore =
  (known: () => KnownStore): ConfirmStore =>
  async (client) => {
    await findResumePoint(client, known());
  };

/** Id of the first event of the vault; undefined when there is none. */
export async function readInstallation(client: EventStoreClient): Promise<string | undefined> {
  try {
    const [first] = await readStreamOnce(client, INSTALLATION_STREAM, { maxCount: 1 });
    return first?.id;
  } catch (error) {
    if (isDeletedStream(error)) return undefined;
    throw error;
  }
}

/** Whether the store has an event at a position. */
export async function hasEventAt(client: EventStoreClient, { native, id }: ResumeMark): Promise<boolean> {
  try {
    const [found] = await readAllOnce(client, { fromPosition: native, maxCount: 1 });
    return found?.id === id && found.position.commit === native.commit;
  } catch (error) {
    if (isNoRecordBoundary(error)) return false;
    throw error;
  }
}

const UNKNOWN = 2;
const isNoRecordBoundary = (error: unknown): boolean => error instanceof UnknownError && error.code === UNKNOWN;
