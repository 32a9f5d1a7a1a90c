import type { EventLog } from '../../eventLog/eventLog.ts';
import { createKeyedMutex, type KeyedMutex } from '../../lib/keyedMutex.ts';
import { type Cause, findRepeat, type HandleCommand } from '../../state/commands/commandHandler.ts';

/** The functions that change state. OAuth linking and the routes share one instance, and so the mutex. */
export interface Commands {
  /** Runs a command. Commands of one stream run one at a time, so they never conflict on this node. */
  readonly handle: HandleCommand;
  /** Serializes work that is not a single command, such as replacing the data keys of an account. */
  readonly mutex: KeyedMutex;
  /** Whether the log already contains this write, under the same `Idempotency-Key`. */
  readonly isRepeat: (stream: string, cause: Cause) => Promise<boolean>;
}

export interface CommandsOptions {
  readonly log: EventLog;
  readonly handle: HandleCommand;
}

/** Creates the commands of management, with one mutex for all streams. */
export function createCommands({ log, handle }: CommandsOptions): Commands {
  const mutex = createKeyedMutex();
  return {
    handle: (subject, id, command, cause) => mutex(subject.streamOf(id), () => handle(subject, id, command, cause)),
    mutex,
    isRepeat: async (stream, cause) => (await findRepeat(log, stream, cause)) !== undefined,
  };
}
