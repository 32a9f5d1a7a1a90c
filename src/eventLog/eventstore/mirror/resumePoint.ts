import { UnknownError } from '@eventstore/db-client';
import type { EventStoreClient } from '../client/client.ts';
import type { NativePosition } from '../client/nativePosition.ts';
import { readAllOnce } from '../client/reads.ts';
import type { ResumeMark } from './mirrorWriter.ts';

/** The store has another history than the one that was read from it before. */
export class LogReplaced extends Error {
  override readonly name = 'LogReplaced';
  readonly code = 'POSITION_BEYOND_LOG';
  constructor() {
    super(
      'EventStoreDB does not hold the last event that this node has read from it: it was restored from an older backup, ' +
        'or SVC_EVENTSTORE_URL names another server.',
    );
  }
}

/**
 * The first of these places where the store still has the event that was handled there. Asked before every subscription:
 * a position beyond the end of the log would be waited for in silence (event-sourcing.md B1.0).
 * @throws LogReplaced when there is none
 */
export async function findResumePoint(
  client: EventStoreClient,
  marks: readonly ResumeMark[],
): Promise<NativePosition | undefined> {
  for (const mark of marks) if (await isThere(client, mark)) return mark.native;
  if (marks.length > 0) throw new LogReplaced();
  return undefined;
}

async function isThere(client: EventStoreClient, { native, id }: ResumeMark): Promise<boolean> {
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
