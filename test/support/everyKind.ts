import { readFileSync } from 'node:fs';
import { position } from '../../src/domain/core/brands.ts';
import { upcast } from '../../src/domain/eventTypes.ts';
import type { RecordedEvent } from '../../src/eventLog/eventLog.ts';
import { Checkpoints } from '../../src/state/fold/checkpoints.ts';
import { emptyFold, type Fold } from '../../src/state/fold/fold.ts';

type HistoryEvent = Omit<RecordedEvent, 'position'> & { readonly version: number };

/** Events of every type and version; each version of svc has added lines at the end and changed none. */
export const everyKind: readonly HistoryEvent[] = readFileSync(
  new URL('../histories/everyKind.ndjson', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as HistoryEvent);

/** Folds events as a start does. @param onFolded called after each event */
export function foldHistory(history: readonly HistoryEvent[], onFolded: (fold: Fold) => void = () => {}): Fold {
  const fold = emptyFold(new Checkpoints(50));
  foldOn(fold, history, onFolded);
  return fold;
}

/** Folds the events of a history that are behind a fold's position. @param onFolded called after each event */
export function foldOn(fold: Fold, history: readonly HistoryEvent[], onFolded: (fold: Fold) => void = () => {}): void {
  for (const [index, { version, data, ...rest }] of history.entries()) {
    if (index < fold.state.position) continue;
    const event = { ...rest, data: upcast(rest.type, version, data), position: position(index + 1) } as RecordedEvent;
    fold.state.apply(event);
    fold.checkpoints.onFolded(fold.state, event);
    onFolded(fold);
  }
}
