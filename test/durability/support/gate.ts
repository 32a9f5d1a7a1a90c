import { stepsOf } from '../../support/provider/responseScript.ts';
import { type ResponseScript, type TextResponseOptions, textResponse } from '../../support/provider/scripts.ts';

const BEGINNING = 5;
const LOOK_AGAIN_MS = 5;

/** An answer that begins at once and goes on only when it is let. */
export function gatedAnswer(answer: TextResponseOptions = { deltas: 4 }): { script: ResponseScript; open(): void } {
  let isOpen = false;
  return {
    open: () => {
      isOpen = true;
    },
    script: {
      name: 'gated answer',
      *steps(asked) {
        let events = 0;
        for (const step of stepsOf(textResponse(answer), asked)) {
          yield step;
          if ('event' in step) events += 1;
          while (events === BEGINNING && !isOpen) yield { waitMs: LOOK_AGAIN_MS };
        }
      },
    },
  };
}
