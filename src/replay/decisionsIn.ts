import type { RecordedEvent } from '../eventLog/eventLog.ts';
import { admissionsIn, refusalsIn } from './admissions.ts';
import { choicesIn } from './choices.ts';
import type { OwnCoolDowns } from './ownCoolDowns.ts';
import type { RecordedDecision } from './recordedDecision.ts';

/** All decisions that an event recorded. @param ownCoolDowns with all changes up to the event */
export function decisionsIn(event: RecordedEvent, ownCoolDowns: OwnCoolDowns): RecordedDecision[] {
  if (event.type !== 'RequestCompleted' && event.type !== 'RequestRefused') return [];
  const decisions = [...admissionsIn(event), ...refusalsIn(event)];
  if (event.type === 'RequestCompleted') decisions.push(...choicesIn(event, ownCoolDowns));
  return decisions;
}
