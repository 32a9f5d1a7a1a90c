import { hash } from 'node:crypto';
import { eventTypes } from '../../domain/eventTypes.ts';

/**
 * Must be raised with every change of the fold's result or of the shape of its state: older snapshots are then ignored.
 * `foldVersion.unit.test.ts` fails when a change forgets it.
 */
export const FOLD_VERSION = 30;

/**
 * Names the fold that a snapshot was made by. The event types are part of it: an older svc must not continue from a snapshot
 * of events that it does not know.
 */
export function foldNameFor(types: Iterable<{ readonly type: string; readonly version: number }>): string {
  const known = Array.from(types, ({ type, version }) => `${type} ${version}\n`).sort();
  return `${FOLD_VERSION}.${hash('sha256', known.join('')).slice(0, 12)}`;
}

/** The fold of this build. */
export const foldName = foldNameFor(eventTypes.values());
