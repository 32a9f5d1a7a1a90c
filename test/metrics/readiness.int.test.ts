import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { waitOptions } from '../support/waitOptions.ts';

let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gateway = await startGateway({ accounts: 0 });
});
afterAll(() => gateway.stop());

const readyIs = (status: number, ...codes: string[]) =>
  vi.waitFor(async () => {
    const { status: found, body } = await gateway.api('GET', '/ready');
    const reasons = (body.reasons ?? []).map(({ code }: { code: string }) => code);
    expect([found, body.status, reasons]).toEqual([status, status === 200 ? 'ready' : 'not_ready', codes]);
  }, waitOptions);

test('is not ready without an account that can serve, and is live all the time', async () => {
  await readyIs(503, 'no_accounts');
  expect(await gateway.api('GET', '/live')).toEqual({ status: 200, body: { status: 'ok' } });
  const id = await gateway.importAccount(gateway.provider.addAccount());
  await readyIs(200);
  await gateway.api('POST', `/api/accounts/${id}/pause`);
  await readyIs(503, 'no_account_available');
  expect((await gateway.api('GET', '/health')).body).toEqual({ status: 'ok' });
  await gateway.api('POST', `/api/accounts/${id}/reactivate`);
  await readyIs(200);
});

test('answers a probe that asks for a page, and one with parameters of its own', async () => {
  for (const path of ['/live', '/ready?from=probe']) {
    const response = await fetch(gateway.url + path, { headers: { accept: 'text/html' } });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  }
});
