import { UnknownError } from '@eventstore/db-client';
import type { EventStoreClient } from '../client/client.ts';
import type { NativePosition } from '../client/nativePosition.ts';
import { readAllOnce } from '../client/reads.ts';
import type { ResumeMark } from './mirrorWriter.ts';

/** The store no longer has the history that was read from it before. */
export class LogReplaced extends Error {
  override readonly name = 'LogReplaced';
  readonly code = 'POSITION_BEYOND_LOG';
  constructor() {
    super(
      'EventStoreDB lacks the last event that this node has read from it: it was restored from an older backup, or ' +
        'SVC_EVENTSTORE_URL names another server. See "Restoring a backup" in docs/operation.md.',
    );
  }
}

/**
 * Position of the first mark that the store still has. Checked before each subscription, because a subscription from
 * beyond the end of the log waits silently (docs/stores.md#eventstoredb-positions-and-resuming).
 * @throws LogReplaced when the store has none of the marks
 */
export async function findResumePoint(
  client: EventStoreClient,
  marks: readonly ResumeMark[],
): Promise<NativePosition | undefined> {
  for (const mark of marks) if (await hasEventAt(client, mark)) return mark.native;
  if (marks.length > 0) throw new LogReplaced();
  return undefined;
}

async function hasEventAt(client: EventStoreClient, { native, id }: ResumeMark): Promise<boolean> {
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
