import type { KeyedMutex } from '../../lib/keyedMutex.ts';
import type { HandleCommand } from '../../state/commands/commandHandler.ts';

/** Commands of one subject come one after the other, so that neighbours do not conflict. */
export const serializeCommands =
  (handle: HandleCommand, inTurn: KeyedMutex): HandleCommand =>
  (subject, id, command, cause) =>
    inTurn(subject.streamOf(id), () => handle(subject, id, command, cause));
