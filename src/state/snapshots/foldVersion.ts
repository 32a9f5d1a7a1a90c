import { hash } from 'node:crypto';
import { eventTypes } from '../../domain/eventTypes.ts';

/**
 * Goes up with every change of what the hot fold makes of a history, or of the shape of its state. Then snapshots of before
 * are ignored. `foldVersion.unit.test.ts` notices a change that forgot it.
 */
export const FOLD_VERSION = 3;

/**
 * What a snapshot was made by. The types of events count as well: an older svc must not take over what a newer one has
 * folded from events that the older one does not know.
 */
export function nameOfFold(types: Iterable<{ readonly type: string; readonly version: number }>): string {
  const known = Array.from(types, ({ type, version }) => `${type} ${version}\n`).sort();
  return `${FOLD_VERSION}.${hash('sha256', known.join('')).slice(0, 12)}`;
}

export const foldName = nameOfFold(eventTypes.values());
