import type { Instant } from '../../../domain/core/brands.ts';
import type { KnownEvent } from '../../../domain/eventTypes.ts';
import { LOSSES_STREAM } from '../../../domain/losses/events.ts';
import { newEventId } from '../../../eventLog/eventId.ts';
import { type EventLog, NO_STREAM } from '../../../eventLog/eventLog.ts';
import { userName } from '../userName.ts';

/** An accepted loss could not be recorded; nothing was changed. */
export class CannotAcceptLoss extends Error {
  override readonly name = 'CannotAcceptLoss';
}

/** Records an accepted loss in the log. @throws CannotAcceptLoss */
export async function appendLoss(
  log: EventLog,
  {
    type,
    data,
    time,
    actorCommand,
    correlationId,
  }: Pick<KnownEvent, 'type' | 'data'> & {
    readonly time: Instant;
    readonly actorCommand: string;
    readonly correlationId: string;
  },
): Promise<void> {
  let revision = NO_STREAM;
  for await (const event of log.readStream(LOSSES_STREAM)) revision = event.revision;
  const actor = { kind: 'cli', command: actorCommand, user: userName() } as const;
  const outcome = await log.append(LOSSES_STREAM, revision, [
    { id: newEventId(), type, data, time, actor, correlationId },
  ]);
  if (outcome.kind === 'committed') return;
  const reason =
    outcome.kind === 'unknown'
      ? outcome.error.message
      : outcome.kind === 'rejected'
        ? outcome.reason
        : 'another process writes to the log';
  throw new CannotAcceptLoss(`The loss could not be recorded: ${reason}. Run the command again.`);
}
