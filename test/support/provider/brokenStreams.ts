import { answer, opening } from './answer.ts';
import { textAnswer } from './answers.ts';
import { message } from './parts.ts';
import { type ResponseScript, stepsOf } from './responseScript.ts';
import { deltasOf, stream } from './stream.ts';

interface FailedOptions {
  code?: string;
  message?: string;
}

/** `failure-as-first-event`: a 200 whose first event, or the first after `response.in_progress`, is the failure. */
export const failedFirst = ({
  code = 'rate_limit_exceeded',
  message = `Simulated ${code}`,
  afterCreated = false,
}: FailedOptions & { afterCreated?: boolean } = {}): ResponseScript =>
  stream(`failedFirst ${code}`, function* (asked) {
    for (const step of answer(asked, { parts: [], end: 'failed', error: { code, message } }))
      if (afterCreated || ('event' in step && step.event.type === 'response.failed')) yield step;
  });

interface CutOptions {
  deltas?: number;
}

const openMessage = (deltas: number) => message(deltasOf({ deltas }), { leaveOpen: true });

/** `response.failed` after some text. */
export const failedAfter = ({
  deltas = 2,
  code = 'server_error',
  message = `Simulated ${code}`,
}: CutOptions & FailedOptions = {}): ResponseScript =>
  stream(`failedAfter ${code}`, (asked) =>
    answer(asked, { parts: [openMessage(deltas)], end: 'failed', error: { code, message } }),
  );

/** `stream-cut`: some text, then a reset of the socket. */
export const cutAfter = ({ deltas = 2 }: CutOptions = {}): ResponseScript =>
  stream('cutAfter', function* (asked) {
    yield* opening(asked);
    yield* openMessage(deltas)(asked, 0);
    yield { reset: true };
  });

/** `stream-silent`: `events` events, then nothing, with the connection open. */
export const silenceAfter = ({ events = 1 }: { events?: number } = {}): ResponseScript => {
  const script = textAnswer();
  return {
    name: 'silenceAfter',
    *steps(asked) {
      let left = events;
      for (const step of stepsOf(script, asked)) {
        if ('event' in step && left-- === 0) break;
        yield step;
      }
      yield { hold: true };
    },
  };
};

/** `event-too-large`: one delta of `bytes` bytes in a response that is otherwise fine. */
export const oversizedEvent = ({ bytes }: { bytes: number }): ResponseScript => ({
  ...textAnswer({ deltas: ['x'.repeat(bytes)] }),
  name: 'oversizedEvent',
});

/** `terminal-event-missing`: a clean end without a terminal event. */
export const endsWithoutTerminal = ({ deltas = 2 }: CutOptions = {}): ResponseScript =>
  stream('endsWithoutTerminal', function* (asked) {
    yield* opening(asked);
    yield* openMessage(deltas)(asked, 0);
  });

/** An `error` event after some text, and the end. */
export const errorEvent = ({
  code = 'server_error',
  message = `Simulated ${code}`,
  shape = 'flat',
  deltas = 2,
}: CutOptions & FailedOptions & { shape?: 'flat' | 'nested' } = {}): ResponseScript =>
  stream(`errorEvent ${shape}`, function* (asked) {
    yield* opening(asked);
    if (deltas > 0) yield* openMessage(deltas)(asked, 0);
    const fields = { code, message, param: null };
    yield {
      event: shape === 'flat' ? { type: 'error', ...fields } : { type: 'error', error: { type: code, ...fields } },
    };
  });
