import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { validRequest } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';
import { failureAsFirstEvent, json } from '../support/provider/scripts.ts';

const start = gateways();

const PROMPT = 'My password is "correct horse battery staple"';
const EMAIL = 'jane.doe@example.org';
const request = { ...validRequest, input: [{ role: 'user', content: PROMPT }] };
const error = {
  code: 'invalid_prompt',
  type: 'invalid_request_error',
  param: 'input[0].content',
  message: `Cannot process: ${PROMPT} (account ${EMAIL})`,
};
const KEPT = 'Cannot process: [...] (account [address])';

test('a prompt that the provider echoes reaches the client whole, and the log without it', async () => {
  const gateway = await start();
  for (const script of [json(400, { error }), failureAsFirstEvent(error)]) {
    gateway.pool[0]?.at.responses.next(script);
    const response = await gateway.ask(request);
    expect(await response.text()).toContain('battery staple');
  }
  for (const { data } of gateway.events('RequestCompleted')) {
    expect(data).toMatchObject({
      errorCode: 'invalid_prompt',
      errorMessage: KEPT,
    });
  }
  const [refused, failed] = gateway.events('RequestCompleted').map(({ data }) => data);
  expect(refused).toMatchObject({ errorType: 'invalid_request_error', errorParam: 'input[0].content' });
  expect(failed).toMatchObject({ status: 'error' });
  expect(logTextOf(gateway.folder)).not.toMatch(/battery staple|jane\.doe/);
});

test('nothing of a message about a transcription is kept', async () => {
  const gateway = await start();
  gateway.pool[0]?.at.transcribe.next(json(400, { error }));
  const body = new FormData();
  body.set('file', new Blob(['sound'], { type: 'audio/webm' }), 'clip.webm');
  const response = await fetch(`${gateway.url}/backend-api/transcribe`, { method: 'POST', body });
  expect(await response.text()).toContain('battery staple');
  expect(gateway.events('RequestCompleted')[0]?.data).toMatchObject({
    errorCode: 'invalid_prompt',
    errorType: 'invalid_request_error',
    errorMessage: "(the provider's message is not kept)",
  });
});

test('a code that is no name is neither used nor kept', async () => {
  const gateway = await start();
  gateway.pool[0]?.at.responses.next(json(400, { error: { ...error, code: `code of ${EMAIL}`, param: PROMPT } }));
  expect((await gateway.ask(request)).status).toBe(400);
  const data = gateway.events('RequestCompleted')[0]?.data;
  expect(data).toMatchObject({ errorCode: 'invalid_request_error', errorMessage: KEPT });
  expect(data?.errorParam).toBeUndefined();
  expect(logTextOf(gateway.folder)).not.toMatch(/battery staple|jane\.doe/);
});

test('a message about a limit is kept without the prompt also where svc writes its first letter in upper case', async () => {
  const gateway = await start();
  const limit = {
    type: 'usage_limit_reached',
    message: `you are at your limit: ${PROMPT} (${EMAIL})`,
    resets_in_seconds: 900,
  };
  gateway.pool[0]?.at.responses.next(json(429, { error: limit }));
  const response = await gateway.ask(request);
  expect(response.status).toBe(429);
  expect(await response.text()).toContain('battery staple');
  expect(gateway.events('RequestCompleted')[0]?.data.errorMessage).toBe('You are at your limit: [...] ([address])');
  expect(logTextOf(gateway.folder)).not.toMatch(/battery staple|jane\.doe/);
});

/** Everything that the log's files contain. */
const logTextOf = (folder: string): string =>
  readdirSync(folder)
    .filter((name) => name.startsWith('log.sqlite'))
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('');
