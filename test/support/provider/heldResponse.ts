import { type ResponseScript, stepsOf } from './responseScript.ts';
import { textResponse } from './responses.ts';

/** A response that goes on after its first event when the promise resolves. */
export const heldResponse = (released: Promise<void>): ResponseScript => ({
  name: 'held',
  *steps(context) {
    const [head, first, ...rest] = stepsOf(textResponse(), context);
    if (head) yield head;
    if (first) yield first;
    yield { until: released };
    yield* rest;
  },
});
