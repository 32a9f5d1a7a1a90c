import { afterEach, expect, test, vi } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { serverError, streamSilent, textResponse } from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';

let gateway: Gateway;
let clock: { mockRestore(): void } | undefined;
afterEach(async () => {
  clock?.mockRestore();
  await gateway?.stop();
});

const announced = { timeout: 8_000, interval: 20 };
const usage = { inputTokens: 400, cachedTokens: 0, outputTokens: 600, reasoningTokens: 0 };

/** The paths of all GETs that can show earlier state, by the OpenAPI document. */
async function pathsWithAt(): Promise<string[]> {
  const { body } = await gateway.api('GET', '/api/openapi.json');
  const paths = body.paths as Record<string, { get?: { parameters?: { name: string }[] } }>;
  return Object.entries(paths).flatMap(([path, { get }]) =>
    get?.parameters?.some(({ name }) => name === 'at') ? [path] : [],
  );
}

/** A moment while the service runs, and what it showed then. */
interface Moment {
  readonly what: string;
  readonly at: string;
  readonly shown: Record<string, unknown>;
}

test('shows every figure of a moment again with its time, also what open requests had reserved', async () => {
  gateway = await startGateway({ accounts: 2, env: { SVC_STREAM_IDLE_TIMEOUT_SECONDS: '60' } });
  const paths = await pathsWithAt();
  expect(paths).toEqual(expect.arrayContaining(['/api/accounts', '/api/api-keys', '/api/clock', '/api/settings']));
  const { body: key } = await gateway.api('POST', '/api/api-keys', {
    name: 'limited',
    limits: [
      { limit_type: 'total_tokens', limit_window: 'daily', max_value: 100_000 },
      { limit_type: 'cost_usd', limit_window: 'weekly', max_value: 10, model_filter: 'gpt-5.1' },
      { limit_type: 'input_tokens', limit_window: 'monthly', max_value: 1_000, model_filter: 'gpt-5.2' },
    ],
  });
  await gateway.set({ api_key_auth_enabled: true });
  const ask = (signal?: AbortSignal) =>
    gateway.ask(validRequest, { headers: { authorization: `Bearer ${key.key}` }, ...(signal && { signal }) });
  const shownAt = async (query: string) =>
    Object.fromEntries(
      await Promise.all(paths.map(async (path) => [path, (await gateway.api('GET', path + query)).body])),
    );
  const moments: Moment[] = [];
  /** Stops the clock for a moment, so that all answers are of the same one. */
  const take = async (what: string): Promise<Moment> => {
    const now = Date.now();
    clock = vi.spyOn(Date, 'now').mockReturnValue(now);
    const moment = { what, at: new Date(now).toISOString(), shown: await shownAt('') };
    clock.mockRestore();
    moments.push(moment);
    return moment;
  };
  const reservedIn = ({ shown }: Moment) =>
    (shown['/api/api-keys'] as { limits: { reserved_value: number }[] }[])[0]?.limits.map(
      (limit) => limit.reserved_value,
    );

  gateway.pool[0]?.at.always(textResponse({ usage }));
  await take('before the first request');
  await (await ask()).text();
  await take('after a request');
  gateway.pool[0]?.at.always(streamSilent({ events: 5 }));
  const leaving = new AbortController();
  const open = await ask(leaving.signal);
  await take('with a request that just began');
  await vi.waitUntil(() => gateway.events('RequestAdmitted').length === 1, announced);
  const [tokens = 0, , other] = reservedIn(await take('with an announced request')) ?? [];
  expect(tokens).toBeGreaterThan(500);
  expect(other).toBe(0);
  for (const { at } of gateway.pool) at.always(serverError());
  expect((await ask()).status).toBe(502);
  await vi.waitUntil(() => gateway.events('AccountsCooled').length > 0, waitOptions);
  await take('with accounts in cool-downs');
  await gateway.api('POST', `/api/accounts/${gateway.pool[1]?.id}/pause`);
  leaving.abort();
  await open.text().catch(() => undefined);
  await vi.waitUntil(() => gateway.events('RequestCompleted').length === 3, waitOptions);
  expect(reservedIn(await take('when all requests have ended'))).toEqual([0, 0, 0]);
  await gateway.api('PATCH', `/api/api-keys/${key.id}`, { reset_usage: true });
  await gateway.api('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.1' } });

  for (const { what, at, shown } of moments) expect(await shownAt(`?at=${at}`), what).toEqual(shown);
  await gateway.restart();
  for (const { what, at, shown } of moments) expect(await shownAt(`?at=${at}`), `${what}, restarted`).toEqual(shown);
}, 30_000);
