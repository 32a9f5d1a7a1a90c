import type { AlertRule } from '../domain/alert/rules.ts';
import type { CurrentFault } from '../lib/faults.ts';
import type { Condition } from './condition.ts';

/** The faults of a node that an alert is about (docs/operation.md#what-is-wrong-now). */
const RULES: Readonly<Partial<Record<string, AlertRule>>> = {
  log_refuses_events: 'store_away',
  log_write_failing: 'store_away',
  store_unreachable: 'store_away',
  store_takes_no_writes: 'store_away',
  store_foreign: 'store_away',
  store_older: 'store_away',
  outbox_waits: 'outbox_filling',
  outbox_full: 'outbox_filling',
  log_altered: 'integrity_finding',
  log_broken: 'integrity_finding',
  log_differs_from_tree: 'integrity_finding',
  checkpoint_log_changed: 'integrity_finding',
  checkpoint_fork: 'integrity_finding',
  checkpoint_key_changed: 'integrity_finding',
};

/** Codes of faults that become alerts. */
export const alertingFaults: ReadonlySet<string> = new Set(Object.keys(RULES));

/**
 * What is wrong with this node. Faults of one rule and subject are one episode: the connection to a store is lost, and then it takes no
 * writes.
 */
export function nodeConditions(faults: readonly CurrentFault[], node: string): Condition[] {
  const conditions = new Map<string, Condition>();
  for (const { code, subject, cause, remedy } of faults) {
    const rule = RULES[code];
    if (!rule) continue;
    const about = rule === 'integrity_finding' ? `${code}${subject === undefined ? '' : ` ${subject}`}` : '';
    const key = [rule, node, about].filter((part) => part !== '').join(' ');
    if (!conditions.has(key)) conditions.set(key, { rule, key, subject: null, node, text: `${cause} ${remedy}` });
  }
  return [...conditions.values()];
}
