import { expect, test, vi } from 'vitest';
import { MAX_EVENT_BYTES } from '../../src/eventLog/prepareAppend.ts';
import { errorOf, type Gateway } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';
import { json } from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';

const start = gateways();
const LONG = 'x'.repeat(2 * 1_048_576);
const WORDY = 'x'.repeat(5_000);

const responses = { model: 'gpt-5.1', instructions: 'i', input: 'hi', stream: true, store: false };
const chat = { model: 'gpt-5.1', messages: [{ role: 'user', content: 'hi' }] };
const SURFACES = {
  '/backend-api/svc/responses': responses,
  '/v1/responses': responses,
  '/v1/responses/compact': responses,
  '/v1/chat/completions': chat,
};

test.each(
  Object.entries(SURFACES).flatMap(([path, valid]) => [
    [path, 'model', { ...valid, model: LONG }] as const,
    [path, 'reasoning.effort', { ...valid, reasoning: { effort: LONG } }] as const,
    [path, 'service_tier', { ...valid, service_tier: LONG }] as const,
    ...(path.includes('chat') ? [[path, 'reasoning_effort', { ...valid, reasoning_effort: LONG }] as const] : []),
  ]),
)('%s refuses 2 MiB of %s, and the log keeps only their beginning', async (path, field, body) => {
  const gateway = await start();
  const response = await gateway.ask(body, { path });
  expect(response.status).toBe(400);
  expect(await errorOf(response)).toMatchObject({ code: 'invalid_request_error', param: field });
  expect(gateway.asked()).toEqual([]);
  const [event] = await refusals(gateway);
  expect(event?.data.errorMessage).toContain(field);
  expect(JSON.stringify(event).length).toBeLessThan(1_500);
});

test('a text of the greatest length passes every surface', async () => {
  const gateway = await start();
  const [model, effort] = ['m'.repeat(200), 'e'.repeat(64)];
  for (const [path, valid] of Object.entries(SURFACES)) {
    const response = await gateway.ask({ ...valid, model, reasoning: { effort } }, { path });
    expect(response.status, path).toBe(200);
    await response.text();
  }
  const sizes = gateway.events('RequestCompleted').map((event) => JSON.stringify(event).length);
  expect(sizes).toHaveLength(4);
  expect(Math.max(...sizes)).toBeLessThan(MAX_EVENT_BYTES);
});

test('the end of a request is recorded whatever the provider says', async () => {
  const gateway = await start();
  gateway.pool[0]?.at.responses.next(
    json(500, { error: { code: WORDY, message: '\u20ac'.repeat(10_000), type: WORDY, param: WORDY } }),
  );
  await (await gateway.ask()).text();
  const [event] = gateway.events('RequestCompleted');
  expect(event?.data.attempts.map(({ code }) => code)).toEqual(['x'.repeat(100)]);
  expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(5_000);
});

async function refusals(gateway: Gateway) {
  await vi.waitUntil(() => gateway.events('RequestRefused').length > 0, waitOptions);
  return gateway.events('RequestRefused');
}
