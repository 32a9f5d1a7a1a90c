import { expect, test } from 'vitest';
import type { ProviderError } from '../providerResponse/failure.ts';
import { StreamedBody } from './streamedBody.ts';
import { withoutRequestText } from './withoutRequestText.ts';

const said: ProviderError = {
  message: 'near "the quick brown fox"',
  type: 'invalid_request_error',
  code: 'invalid_prompt',
  param: 'not a name',
  planType: undefined,
  resetsAt: undefined,
  resetsInSeconds: undefined,
};
const outcome = { status: 'error', code: 'invalid_prompt', message: said.message as string, usage: undefined };
const body = [Buffer.from(JSON.stringify({ input: 'the quick brown fox' }))];
const request = { upstreamBody: body, model: 'gpt-5.1' };
const NOT_KEPT = "(the provider's message is not kept)";

test('keeps code and type, and the message without what the client wrote', () =>
  expect(withoutRequestText(outcome, said, request)).toEqual({
    ...outcome,
    message: 'near [...]',
    errorType: 'invalid_request_error',
    errorParam: undefined,
  }));

test('keeps the sentence that svc put around the message', () => {
  const message = `The limit is reached. ${said.message} Retry later.`;
  expect(withoutRequestText({ ...outcome, message }, said, request).message).toBe(
    'The limit is reached. near [...] Retry later.',
  );
});

test('takes the text of the request also out of a message that svc has changed', () => {
  for (const message of ['Near "the quick brown fox"', 'It said: NEAR "the quick brown fox"']) {
    expect(withoutRequestText({ ...outcome, message }, said, request).message).toBe(
      message.replace('"the quick brown fox"', '[...]'),
    );
  }
});

test('keeps a sentence of svc that the message of the provider is no part of', () => {
  const message = 'The provider limits the rate of requests. Retry later.';
  for (const held of [request, { ...request, upstreamBody: [] }])
    expect(withoutRequestText({ ...outcome, message }, said, held).message).toBe(message);
});

test.each([
  ['a part of the response was relayed', { ...request, upstreamBody: [] }],
  ['an upload was streamed', { ...request, upstreamBody: new StreamedBody(body, body.values() as never, () => {}) }],
  [
    'the request continues an earlier one of its websocket',
    { ...request, socket: { id: 'ws_1', number: 2, kind: 'turn', isContinued: true } },
  ],
  ['the body is a form', { ...request, contentType: 'multipart/form-data' }],
])('keeps nothing of the message where %s', (_what, held) =>
  expect(withoutRequestText(outcome, said, held)).toMatchObject({ code: 'invalid_prompt', message: NOT_KEPT }),
);

test('leaves a success, and an error of svc itself, as they are', () => {
  const success = { ...outcome, status: '200', code: null, message: null };
  expect(withoutRequestText(success, said, request)).toBe(success);
  expect(withoutRequestText(outcome, undefined, request)).toBe(outcome);
});
