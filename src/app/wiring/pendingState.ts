import type { ApiKeyId, Instant } from '../../domain/core/brands.ts';
import { ForeignReservations } from '../../proxy/admission/foreignReservations.ts';
import { Ledger } from '../../proxy/admission/ledger.ts';
import { Cooldowns } from '../../proxy/exchange/cooldowns.ts';
import type { Foundation } from './foundation.ts';
import { createNodeRecords, type NodeRecords } from './nodeRecords.ts';

/** What this node knows beyond the log, and how it writes down what it adds to it. */
export interface PendingState {
  readonly ledger: Ledger;
  readonly cooldowns: Cooldowns;
  readonly records: NodeRecords;
  /** What requests outside this node's ledger hold of the window of a rule that holds `at`, in the unit of its counter. */
  readonly reservedElsewhere: (keyId: ApiKeyId, ruleId: number, at: Instant) => number;
  /** Whether this start of the node writes to a stream of requests. */
  readonly isOfThisStart: (stream: string) => boolean;
  /** Whether this or an earlier start of the node does. */
  readonly isOfThisNode: (stream: string) => boolean;
}

export async function createPendingState({ folder, store, hot, now }: Foundation): Promise<PendingState> {
  const isOfThisStart = (stream: string) => stream.startsWith(`requests-${folder.node}.${folder.boot}_`);
  const isOfThisNode = (stream: string) => stream.startsWith(`requests-${folder.node}.`);
  const ledger = new Ledger();
  const cooldowns = new Cooldowns(now);
  const foreign = new ForeignReservations(hot.state, isOfThisStart);
  hot.onFolded((event) => {
    foreign.onFolded(event);
    if (event.type !== 'RequestCompleted') return;
    ledger.release(event.data.requestId);
    for (const { accountId, limitedUntil } of event.data.attempts) {
      if (limitedUntil !== undefined) cooldowns.forgetLimit(accountId);
    }
  });
  const records = await createNodeRecords({ store, folder, hot, now, ledger, cooldowns, foreign });
  const { pending } = records;
  return {
    ledger,
    cooldowns,
    records,
    reservedElsewhere: (keyId, ruleId, at) =>
      foreign.reservedOn(keyId, ruleId, at) + (pending?.usedOn(keyId, ruleId, at) ?? 0),
    isOfThisStart,
    isOfThisNode,
  };
}
