import { changeText } from './describeState.ts';
import type { Step } from './steps.ts';

/** Who caused an event, in a few words. */
export function actorText(actor: Step['actor']): string {
  switch (actor.kind) {
    case 'operator':
      return `operator${actor.name === null ? '' : ` ${actor.name}`}${actor.address === null ? '' : ` at ${actor.address}`}`;
    case 'api_key':
      return `API key ${actor.api_key_id}`;
    case 'cli':
      return `svc ${actor.command}${actor.user === null ? '' : ` (${actor.user})`}`;
    case 'system':
      return `system (${actor.reason})`;
    default:
      return actor.kind;
  }
}

/** An event with what it changed, a line each. */
export const describeStep = (step: Step): string[] => [
  `${step.position}  ${step.time}  ${step.type}  ${step.subject}  by ${actorText(step.actor)}`,
  `    ${step.sentence}`,
  ...(step.changes.length === 0
    ? ['    No stored state changed']
    : step.changes.map((each) => `    ${changeText(each)}`)),
];
