import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { replayEvents } from '../../src/replay/replayEvents.ts';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import type { ResponseScript } from '../support/provider/responseScript.ts';
import { closeOnSocket, cutAtByte, errorOnSocket, textResponse } from '../support/provider/scripts.ts';
import { recordedEvents } from '../support/recordedEvents.ts';
import { runs } from '../support/runs.ts';
import { openStrictSocket } from '../support/strictSocket.ts';

let gateway: Gateway;
let headers: Record<string, string>;
let keyId: string;
beforeAll(async () => {
  gateway = await startGateway({ accounts: 0 });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  await gateway.reset(16);
  const { body: settings } = await gateway.api('GET', '/api/settings');
  await gateway.api('PUT', '/api/settings', { ...settings, api_key_auth_enabled: true });
  const { body: key } = await gateway.api('POST', '/api/api-keys', {
    name: 'limited',
    limits: [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000_000_000 }],
  });
  headers = { authorization: `Bearer ${key.key}` };
  keyId = key.id;
});

/** What happens to one request of a conversation. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'answer' } as const) },
  // A text response has some 3,000 bytes of frames.
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('cut' as const), bytes: fc.nat(4_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('close' as const), events: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'refuse' } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: 'leave' } as const) },
);

function scriptOf(next: { kind: string; bytes?: number; events?: number }): ResponseScript {
  switch (next.kind) {
    case 'cut':
      return cutAtByte(next.bytes ?? 0, textResponse());
    case 'close':
      return closeOnSocket(1011, { events: next.events ?? 0 });
    case 'refuse':
      return errorOnSocket(500, { message: 'no' });
    default:
      return textResponse();
  }
}

test('ends every request once and leaves nothing reserved, wherever a connection is cut', {
  timeout: 120_000,
}, async () => {
  let sent = 0;
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
      const thread = { ...headers, 'thread-id': `thread-${sent}` };
      let socket = await openStrictSocket(`${gateway.url}/v1/responses`, { headers: thread });
      let previous: string | undefined;
      for (const next of steps) {
        if (socket.socket.readyState !== socket.socket.OPEN) {
          expect(socket.problems).toEqual([]);
          socket = await openStrictSocket(`${gateway.url}/v1/responses`, { headers: thread });
          previous = undefined;
        }
        for (const { at } of gateway.pool) at.responses.always(scriptOf(next));
        sent += 1;
        const ended = socket.create({ ...validRequest, ...(previous && { previous_response_id: previous }) });
        if (next.kind === 'leave') await socket.leave();
        const { terminal } = await ended;
        if (terminal) answered += 1;
        previous = terminal?.type === 'response.completed' ? terminal.response.id : undefined;
      }
      expect(socket.problems).toEqual([]);
      await socket.leave();
    }),
    { ...runs(15), endOnFailure: true },
  );
  await vi.waitUntil(async () => (await limit()).reserved_value === 0, { timeout: 10_000 });
  const ended = [...gateway.events('RequestCompleted'), ...gateway.events('RequestRefused')];
  const ids = ended.map(({ data }) => data.requestId);
  expect(new Set(ids).size).toBe(ids.length);
  // A request of a client that left at once may not have arrived.
  expect(ids.length).toBeLessThanOrEqual(sent);
  expect(ids.length).toBeGreaterThanOrEqual(answered);
  const announced = gateway.events('RequestAdmitted').map(({ data }) => data.requestId);
  expect(announced.filter((id) => !ids.includes(id))).toEqual([]);
  const report = replayEvents(await recordedEvents(gateway.folder));
  expect(report.differences).toEqual([]);
  expect(report.choices).toBeGreaterThanOrEqual(answered);
  expect(report.admissions).toBeGreaterThanOrEqual(answered);
});

async function limit(): Promise<{ reserved_value: number }> {
  const { body } = await gateway.api('GET', '/api/api-keys');
  return body.find(({ id }: { id: string }) => id === keyId).limits[0];
}
