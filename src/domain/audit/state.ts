import type { Instant } from '../core/brands.ts';
import type { EventOf, Recorded } from '../core/event.ts';
import type { AuditEvent, StopReason, VerificationMade } from './events.ts';

/** The last start of a node that the log tells of. */
export interface NodeRun {
  readonly boot: string;
  readonly version: string;
  readonly startedAt: Instant;
  /** Null while it runs, and when it ended without a stop. */
  readonly stopped: (StopReason & { readonly at: Instant }) | null;
}

/** The result of a verification, and when it was recorded. */
export type Verification = EventOf<typeof VerificationMade>['data'] & { readonly at: Instant };

export interface AuditState {
  readonly nodes: ReadonlyMap<string, NodeRun>;
  /** The last verification that was made through a running service. */
  readonly verification: Verification | null;
}

/** Nodes with a name per container would grow the state without end; those that started longest ago are forgotten. */
const MAX_NODES = 1_000;

export const initialState: AuditState = { nodes: new Map(), verification: null };

export function evolve(state: AuditState, { type, data, time }: Recorded<AuditEvent>): AuditState {
  switch (type) {
    case 'NodeStarted': {
      const { node, boot, version } = data;
      return { ...state, nodes: withRun(state.nodes, node, { boot, version, startedAt: time, stopped: null }) };
    }
    case 'NodeStopped': {
      const { node, boot, reason, detail } = data;
      const run = state.nodes.get(node);
      // It may come late, or from a node on a copy of the data folder.
      if (run?.boot !== boot) return state;
      return { ...state, nodes: new Map(state.nodes).set(node, { ...run, stopped: { at: time, reason, detail } }) };
    }
    case 'VerificationMade':
      return { ...state, verification: { ...data, at: time } };
    case 'EvidenceMade':
    case 'RequestsExported':
    case 'CallersForgotten':
      return state;
  }
}

function withRun(nodes: AuditState['nodes'], node: string, run: NodeRun): AuditState['nodes'] {
  const known = nodes.get(node);
  // Ids of later starts sort after those of earlier ones.
  if (known && known.boot > run.boot) return nodes;
  const changed = new Map(nodes);
  changed.delete(node);
  changed.set(node, run);
  if (changed.size > MAX_NODES) changed.delete(changed.keys().next().value as string);
  return changed;
}
