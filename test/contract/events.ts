import { instant } from '../../src/domain/core/brands.ts';
import type { IpAddress } from '../../src/domain/firewall/ipAddress.ts';
import { newEventId } from '../../src/eventLog/eventId.ts';
import type { EventToAppend } from '../../src/eventLog/eventLog.ts';

const START = Date.UTC(2026, 0, 31, 23, 59, 0);
let made = 0;

/** A unique event. @param change replaces some of its fields */
export function anEvent(change: Partial<EventToAppend> = {}): EventToAppend {
  made += 1;
  return {
    id: newEventId(),
    type: 'IpAllowed',
    data: { ip: `10.${made >> 16}.${(made >> 8) & 255}.${made & 255}` as IpAddress },
    time: instant(START + made),
    actor: { kind: 'system', reason: 'a test' },
    correlationId: `request-${made}`,
    ...change,
  } as EventToAppend;
}

export const someEvents = (count: number): EventToAppend[] => Array.from({ length: count }, () => anEvent());

let streams = 0;
/** A stream name that no other test of this run uses. */
export function aStream(): string {
  streams += 1;
  return `firewall-${newEventId()}-${streams}`;
}
