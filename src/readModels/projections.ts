import type { Write } from '../../projections/projection.ts';
import { requestLog } from '../../projections/requestLog.ts';
import { usageTrends } from '../../projections/usageTrends.ts';

/** A projection's handler of one event type. */
// biome-ignore lint/suspicious/noExplicitAny: each handler gets events of its own type only
export type EventHandler = (event: any, write: Write<any, any>) => void;

const PROJECTIONS = [requestLog, usageTrends];

/** The handlers of all projections by event type. */
export const handlers: ReadonlyMap<string, readonly EventHandler[]> = handlersByType();

function handlersByType(): Map<string, EventHandler[]> {
  const byType = new Map<string, EventHandler[]>();
  for (const { on } of PROJECTIONS) {
    for (const [type, handler] of Object.entries(on)) {
      byType.set(type, [...(byType.get(type) ?? []), handler as EventHandler]);
    }
  }
  return byType;
}

/** Read models that were built by other versions of the projections are rebuilt. */
export const PROJECTIONS_VERSION = PROJECTIONS.map(({ name, version }) => `${name} ${version}`).join(', ');
