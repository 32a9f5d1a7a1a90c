import { past } from '../past/past.svelte.ts';
import { mayWrite, NOT_YOUR_ROLE, type Write } from './may.ts';

/** What is shown is an evidence bundle, by its file name, that `svc open` serves; null for a service. */
export const openedBundle: { name: string | null } = $state({ name: null });

/** Replays change nothing, so an opened bundle has them, too. */
const KEPT = /^\w+ \/api\/(replays|jobs)\b/;

/** Why nothing can be changed by anyone; undefined when it can. Reactive. @param write false for what changes nothing */
export function frozenReason(write: Write | undefined): string | undefined {
  if (write === false) return undefined;
  if (past.at !== null) return 'You see an earlier moment. Return to now to change something.';
  if (openedBundle.name !== null && !(typeof write === 'string' && KEPT.test(write)))
    return 'This is an evidence bundle, which cannot be changed.';
  return undefined;
}

/** Why a control that shows a state is disabled; undefined when it is not. Reactive. */
export const refusalOf = (write: Write | undefined): string | undefined =>
  frozenReason(write) ?? (mayWrite(write) ? undefined : NOT_YOUR_ROLE);
