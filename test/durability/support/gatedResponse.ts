import { stepsOf } from '../../support/provider/responseScript.ts';
import { type ResponseScript, type TextResponseOptions, textResponse } from '../../support/provider/scripts.ts';

const EVENTS_BEFORE_GATE = 5;
const POLL_MS = 5;

/** A script that sends the first events of a response, then waits for `open()`. */
export function gatedResponse(options: TextResponseOptions = { deltas: 4 }): { script: ResponseScript; open(): void } {
  let isOpen = false;
  return {
    open: () => {
      isOpen = true;
    },
    script: {
      name: 'gated response',
      *steps(request) {
        let events = 0;
        for (const step of stepsOf(textResponse(options), request)) {
          yield step;
          if ('event' in step) events += 1;
          while (events === EVENTS_BEFORE_GATE && !isOpen) yield { waitMs: POLL_MS };
        }
      },
    },
  };
}
