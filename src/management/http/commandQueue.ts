import type { HandleCommand } from '../../state/commands/commandHandler.ts';

/** Runs `work` when everything that was begun earlier for the same key has ended. Not re-entrant. */
export type KeyedMutex = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function createKeyedMutex(): KeyedMutex {
  const lasts = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (lasts.get(key) ?? Promise.resolve()).then(work);
    const settled = turn
      .catch(() => undefined)
      .then(() => {
        if (lasts.get(key) === settled) lasts.delete(key);
      });
    lasts.set(key, settled);
    return turn;
  };
}

/** Commands of one subject come one after the other, so that neighbours do not conflict. */
export const serializeCommands =
  (handle: HandleCommand, inTurn: KeyedMutex): HandleCommand =>
  (subject, id, command, cause) =>
    inTurn(subject.streamOf(id), () => handle(subject, id, command, cause));
