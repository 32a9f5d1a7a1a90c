import type { ApiKeyId, Instant } from '../../domain/core/brands.ts';
import { ForeignReservations } from '../../proxy/admission/foreignReservations.ts';
import { Ledger } from '../../proxy/admission/ledger.ts';
import { Cooldowns } from '../../proxy/exchange/cooldowns.ts';
import type { Foundation } from './foundation.ts';
import { createNodeRecords, type NodeRecords } from './nodeRecords.ts';

/** What this node knows beyond the log, and the sinks for what it adds to the log. */
export interface PendingState {
  readonly ledger: Ledger;
  readonly cooldowns: Cooldowns;
  readonly records: NodeRecords;
  /** The amount that requests outside this node's ledger reserve on a rule, in its window that contains `at`. */
  readonly reservedElsewhere: (keyId: ApiKeyId, ruleId: number, at: Instant) => number;
  /** The part of it that is known to be used: by completed requests of this node that the log does not have yet. */
  readonly usedElsewhere: (keyId: ApiKeyId, ruleId: number, at: Instant) => number;
  /** Whether this process writes the given stream of requests. */
  readonly isOfThisStart: (stream: string) => boolean;
  /** Whether this process or an earlier one of this node wrote it. */
  readonly isOfThisNode: (stream: string) => boolean;
}

/** Creates the ledger, the cool-downs and the sinks of this node, and keeps them in step with the log. */
export async function createPendingState({ folder, store, hot, now, clock }: Foundation): Promise<PendingState> {
  const isOfThisStart = (stream: string) => stream.startsWith(`requests-${folder.node}.${folder.boot}_`);
  const isOfThisNode = (stream: string) => stream.startsWith(`requests-${folder.node}.`);
  const ledger = new Ledger();
  const foreign = new ForeignReservations(hot.state, isOfThisStart);
  hot.onFolded((event) => {
    foreign.onFolded(event);
    if (event.type === 'ClockAccepted') {
      ledger.mergeLaterWindows((keyId) => hot.state.apiKeys.get(keyId)?.rules ?? [], event.data.to);
    }
    if (event.type === 'RequestCompleted') ledger.release(event.data.requestId);
  });
  const records = await createNodeRecords({ store, folder, hot, now, ledger, foreign, limitClock: clock.limitClock });
  const { pending, recordRequest: record } = records;
  const cooldowns = new Cooldowns({ folded: hot.state.coolDowns, record, isOfThisStart, now });
  hot.onFolded((event) => cooldowns.onFolded(event));
  const usedElsewhere = (keyId: ApiKeyId, ruleId: number, at: Instant) => pending?.usedOn(keyId, ruleId, at) ?? 0;
  return {
    ledger,
    cooldowns,
    records: {
      ...records,
      recordRequest(event, onGivenUp) {
        // Attempts refer to cool-downs, so these must not be lost when the request is not.
        cooldowns.flush();
        return record(event, onGivenUp);
      },
      async stop() {
        cooldowns.flush();
        await records.stop();
      },
    },
    reservedElsewhere: (keyId, ruleId, at) => foreign.reservedOn(keyId, ruleId, at) + usedElsewhere(keyId, ruleId, at),
    usedElsewhere,
    isOfThisStart,
    isOfThisNode,
  };
}
