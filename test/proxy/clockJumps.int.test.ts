import { afterEach, expect, test, vi } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { eventsIn } from '../support/provider/client.ts';
import { serverError, streamSilent, textResponse } from '../support/provider/scripts.ts';

// The clock of the machine is corrected while requests are open, e.g. after sleep or after a start with a wrong time.

const HOUR_MS = 3_600_000;

let gateway: Gateway;
let clock: { mockRestore(): void } | undefined;
afterEach(async () => {
  clock?.mockRestore();
  await gateway?.stop();
});

function moveClock(byMs: number): void {
  const now = Date.now.bind(Date);
  clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + byMs);
}

test('continues a stream when the clock is set forward by an hour', async () => {
  gateway = await startGateway({ env: { SVC_STREAM_IDLE_TIMEOUT_SECONDS: '60' } });
  gateway.pool[0]?.at.always(textResponse({ text: 'two words', betweenMs: 1_000 }));
  const response = await gateway.ask();
  moveClock(HOUR_MS);
  expect(eventsIn(await response.text()).at(-1)?.event).toBe('response.completed');
});

test('notices a silent provider when the clock was set back by an hour', async () => {
  gateway = await startGateway({ env: { SVC_STREAM_IDLE_TIMEOUT_SECONDS: '1' } });
  gateway.pool[0]?.at.always(streamSilent({ events: 5 }));
  const response = await gateway.ask();
  moveClock(-HOUR_MS);
  expect(eventsIn(await response.text()).at(-1)?.data.response.error.code).toBe('stream_idle_timeout');
});

test('announces a long request in the log when the clock was set back', async () => {
  gateway = await startGateway();
  gateway.pool[0]?.at.always(streamSilent({ events: 5 }));
  const controller = new AbortController();
  await gateway.ask(validRequest, { signal: controller.signal });
  moveClock(-HOUR_MS);
  await expect.poll(() => gateway.events('RequestAdmitted').length, { timeout: 8_000 }).toBe(1);
  controller.abort();
});

test('ends a cool-down after its length even when the clock was set back', async () => {
  gateway = await startGateway();
  gateway.pool[0]?.at.always(serverError());
  expect((await gateway.ask()).status).toBe(502);
  moveClock(-HOUR_MS);
  gateway.pool[0]?.at.always(textResponse());
  expect((await gateway.ask()).status).toBe(200);
});
