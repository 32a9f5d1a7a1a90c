import { message } from './parts.ts';
import { openingEvents, responseEvents } from './responseEvents.ts';
import { type ResponseScript, stepsOf } from './responseScript.ts';
import { textResponse } from './responses.ts';
import { deltasOf, stream } from './stream.ts';

interface FailedOptions {
  code?: string;
  message?: string;
}

/** `failure-as-first-event`: a 200 whose first event, or the first after `response.in_progress`, is the failure. */
export const failureAsFirstEvent = ({
  code = 'rate_limit_exceeded',
  message = `Simulated ${code}`,
  afterCreated = false,
}: FailedOptions & { afterCreated?: boolean } = {}): ResponseScript =>
  stream(`failureAsFirstEvent ${code}`, function* (context) {
    for (const step of responseEvents(context, { parts: [], end: 'failed', error: { code, message } }))
      if (afterCreated || ('event' in step && step.event.type === 'response.failed')) yield step;
  });

interface TextOptions {
  deltas?: number;
}

const openMessage = (deltas: number) => message(deltasOf({ deltas }), { leaveOpen: true });

/** `response.failed` after some text. */
export const failureAfterText = ({
  deltas = 2,
  code = 'server_error',
  message = `Simulated ${code}`,
}: TextOptions & FailedOptions = {}): ResponseScript =>
  stream(`failureAfterText ${code}`, (context) =>
    responseEvents(context, { parts: [openMessage(deltas)], end: 'failed', error: { code, message } }),
  );

/** `stream-cut`: some text, then a reset of the socket. */
export const streamCut = ({ deltas = 2 }: TextOptions = {}): ResponseScript =>
  stream('streamCut', function* (context) {
    yield* openingEvents(context);
    yield* openMessage(deltas)(context, 0);
    yield { reset: true };
  });

/** `stream-silent`: `events` events, then nothing, with the connection open. */
export const streamSilent = ({ events = 1 }: { events?: number } = {}): ResponseScript => {
  const script = textResponse();
  return {
    name: 'streamSilent',
    *steps(context) {
      let remaining = events;
      for (const step of stepsOf(script, context)) {
        if ('event' in step && remaining-- === 0) break;
        yield step;
      }
      yield { hold: true };
    },
  };
};

/** `event-too-large`: one delta of `bytes` bytes in a response that is otherwise fine. */
export const eventTooLarge = ({ bytes }: { bytes: number }): ResponseScript => ({
  ...textResponse({ deltas: ['x'.repeat(bytes)] }),
  name: 'eventTooLarge',
});

/** `terminal-event-missing`: a clean end without a terminal event. */
export const terminalEventMissing = ({ deltas = 2 }: TextOptions = {}): ResponseScript =>
  stream('terminalEventMissing', function* (context) {
    yield* openingEvents(context);
    yield* openMessage(deltas)(context, 0);
  });

/** An `error` event after some text, and the end. */
export const errorEvent = ({
  code = 'server_error',
  message = `Simulated ${code}`,
  shape = 'flat',
  deltas = 2,
}: TextOptions & FailedOptions & { shape?: 'flat' | 'nested' } = {}): ResponseScript =>
  stream(`errorEvent ${shape}`, function* (context) {
    yield* openingEvents(context);
    if (deltas > 0) yield* openMessage(deltas)(context, 0);
    const fields = { code, message, param: null };
    yield {
      event: shape === 'flat' ? { type: 'error', ...fields } : { type: 'error', error: { type: code, ...fields } },
    };
  });
