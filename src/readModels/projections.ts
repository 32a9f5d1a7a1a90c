import type { Write } from '../../projections/projection.ts';
import { requestLog } from '../../projections/requestLog.ts';
import { usageTrends } from '../../projections/usageTrends.ts';

/** What one of the projections does with an event; which of them knows its type is settled by then. */
// biome-ignore lint/suspicious/noExplicitAny: events of all types pass here, and each handler meets only its own
export type EventHandler = (event: any, write: Write<any, any>) => void;

const PROJECTIONS = [requestLog, usageTrends];

/** By type of event. */
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

/** What other versions of the projections made is made again. */
export const PROJECTIONS_VERSION = PROJECTIONS.map(({ name, version }) => `${name} ${version}`).join(', ');
