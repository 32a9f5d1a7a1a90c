import { AnnouncedReservations } from '../../proxy/admission/announcedReservations.ts';
import { Ledger } from '../../proxy/admission/ledger.ts';
import { RecentlyShared } from '../../proxy/admission/recentlyShared.ts';
import { type AmountOn, SharedLimits } from '../../proxy/admission/sharedLimits.ts';
import { Cooldowns } from '../../proxy/exchange/cooldowns.ts';
import { rulesOf } from '../../state/fold/limitLevels.ts';
import type { Foundation } from './foundation.ts';
import { createNodeRecords, type NodeRecords } from './nodeRecords.ts';

/** What this node knows beyond the log, and the sinks for what it adds to the log. */
export interface PendingState {
  readonly ledger: Ledger;
  readonly cooldowns: Cooldowns;
  readonly records: NodeRecords;
  /** What the requests of all nodes reserve on limits. */
  readonly sharedLimits: SharedLimits;
  /** What completed requests of this node have used that the log does not have yet. */
  readonly usedElsewhere: AmountOn;
  /** Whether this process writes the given stream of requests. */
  readonly isOfThisStart: (stream: string) => boolean;
  /** Whether this process or an earlier one of this node wrote it. */
  readonly isOfThisNode: (stream: string) => boolean;
}

/** Creates the ledger, the cool-downs and the sinks of this node, and keeps them in step with the log. */
export async function createPendingState(foundation: Foundation): Promise<PendingState> {
  const { folder, store, hot, now, clock, nodes, print } = foundation;
  const isOfThisStart = (stream: string) => stream.startsWith(`requests-${folder.node}.${folder.boot}_`);
  const isOfThisNode = (stream: string) => stream.startsWith(`requests-${folder.node}.`);
  const ledger = new Ledger();
  const announced = new AnnouncedReservations(hot.state, isOfThisStart);
  const recent = new RecentlyShared({
    hot: hot.state,
    isShared: (stream) => nodes.count > 1 && isOfThisStart(stream),
    now: () => performance.now(),
    time: now,
  });
  hot.onFolded((event) => {
    announced.onFolded(event);
    recent.onFolded(event);
    if (event.type === 'ClockAccepted') {
      ledger.mergeLaterWindows((holder) => rulesOf(hot.state, holder), event.data.to);
    }
    if (event.type === 'RequestCompleted') ledger.release(event.data.requestId);
  });
  const { limitClock } = clock;
  const records = await createNodeRecords({ print, store, folder, hot, now, ledger, announced, limitClock });
  const { pending, recordRequest: record } = records;
  const cooldowns = new Cooldowns({ folded: hot.state.coolDowns, record, isOfThisStart, now });
  hot.onFolded((event) => cooldowns.onFolded(event));
  const usedElsewhere: AmountOn = (holder, ruleId, at) => pending?.usedOn(holder, ruleId, at) ?? 0;
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
      stop(reason) {
        cooldowns.flush();
        return records.stop(reason);
      },
    },
    sharedLimits: new SharedLimits({
      hot: hot.state,
      nodes: () => nodes.count,
      isCutOff: () => store.cutOffSince !== undefined,
      ownOn: (holder, ruleId, at) => ledger.reservedOn(holder, ruleId, at) + usedElsewhere(holder, ruleId, at),
      announcedOn: (holder, ruleId, at) => announced.ownOn(holder, ruleId, at),
      recentOn: (holder, ruleId, at) => recent.amountOn(holder, ruleId, at),
      foreignOn: (holder, ruleId, at) => announced.foreignOn(holder, ruleId, at),
    }),
    usedElsewhere,
    isOfThisStart,
    isOfThisNode,
  };
}
