import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeEventStore } from '../support/eventstore/fakeEventStore.ts';
import { type Gateway, validRequest } from '../support/gateway.ts';
import { requestRefused } from '../support/provider/scripts.ts';
import { openStrictSocket } from '../support/strictSocket.ts';
import { waitOptions } from '../support/waitOptions.ts';
import { journeys, startJourney } from './support/journey.ts';
import { layoutShiftOf } from './support/layoutShift.ts';

async function ask(gateway: Gateway, headers: Record<string, string> = {}) {
  const response = await gateway.ask(validRequest, { headers });
  await response.text();
  return response.status;
}
const step = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });

journeys('overview', () => {
  test('shows the next steps of a new installation and checks each off', async () => {
    const { gateway, visit } = await startJourney();
    const page = await visit();
    await page.getByRole('heading', { name: 'Next steps' }).waitFor();
    expect(await page.getByRole('figure').count()).toBe(0);
    const targets = await page.getByRole('link', { name: /^Go to step/ }).evaluateAll(hrefsOf);
    expect(targets).toEqual(['/set-up', '/accounts?add', '/api-keys?new', '/connect']);

    await gateway.importAccount(gateway.provider.addAccount({ email: 'ada@example.com' }));
    await step(page, 'Add a provider account').getByText(', done').waitFor();
    await page.getByRole('link', { name: /^Available accounts 1 of 1/ }).waitFor();
    await gateway.api('POST', '/api/api-keys', { name: 'laptop' });
    await step(page, 'Create an API key').getByText(', done').waitFor();
    expect(await ask(gateway)).toBe(200);
    await step(page, 'Connect a client').getByText(', done').waitFor();
    await page.getByRole('figure').filter({ hasText: 'Requests' }).waitFor();
  });

  test('keeps in place what is shown while the rest loads', async () => {
    const { gateway, visit } = await startJourney({ accounts: 8 });
    for (let count = 0; count < 10; count++) expect(await ask(gateway)).toBe(200);
    const shifts: number[] = [];
    for (const width of [360, 1_280, 2_560]) {
      const page = await visit({ path: '/', viewport: { width, height: 900 } });
      await page.getByRole('region', { name: 'Service', exact: true }).waitFor();
      await page.getByRole('region', { name: 'Recent requests' }).locator('tbody tr').first().waitFor();
      expect(await ask(gateway)).toBe(200);
      shifts.push(await layoutShiftOf(page));
    }
    expect(Math.max(...shifts)).toBeLessThan(0.02);
  });

  test('shows open websockets, and what they bring beside POST', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'laptop' });
    await gateway.set({ api_key_auth_enabled: true });
    const headers = { authorization: `Bearer ${key.key}` };
    expect(await ask(gateway, headers)).toBe(200);
    const page = await visit();
    const section = page.getByRole('region', { name: 'Websockets', exact: true });
    await page.getByRole('figure').filter({ hasText: 'Requests' }).waitFor();
    expect(await section.count()).toBe(0);

    const socket = await openStrictSocket(`${gateway.url}/v1/responses`, { headers });
    onTestFinished(() => socket.leave());
    await socket.create(validRequest);
    await section.getByText('1 open socket, 0 with a response in progress').waitFor();
    await section.getByText('laptop 1').waitFor();
    await page.reload();
    const row = section.getByRole('row').filter({ hasText: 'websocket' });
    await row.waitFor();
    expect(await row.getByRole('cell').nth(1).textContent()).toBe('1');
    await socket.leave();
    await section.getByText('0 open sockets').waitFor();
    await section.getByText('client 1').waitFor();
  });

  test('updates numbers, charts and recent requests live', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    for (let request = 0; request < 3; request++) expect(await ask(gateway)).toBe(200);
    gateway.pool[0]?.at.next(requestRefused());
    expect(await ask(gateway)).toBe(400);

    const page = await visit();
    const chart = (name: RegExp) => page.getByRole('img', { name });
    await chart(/^Requests: 4\. failed 1, served 3; peak 4 at /).waitFor();
    await chart(/^Error rate: 25 %\. failed 1 of 4/).waitFor();
    await chart(/^Tokens: [\d,]+\. cached input 0, uncached input \d+, output \d+/).waitFor();
    await chart(/^Cost: \$0\.\d+/).waitFor();
    await page.locator('.plot canvas').nth(3).waitFor();
    const recent = page.getByRole('region', { name: 'Recent requests' }).getByRole('row');
    expect(await recent.count()).toBe(5);
    const errors = page.getByRole('region', { name: 'Top errors' });
    const [{ error_code: code }] = (await gateway.logs('?status=400')) as [{ error_code: string }];
    await errors.getByText(code, { exact: true }).waitFor();

    await page.getByText('Live', { exact: true }).waitFor();
    expect(await ask(gateway)).toBe(200);
    await chart(/^Requests: 5\./).waitFor();
    await expect.poll(() => recent.count()).toBe(6);

    await page.getByText('Data as a table, by the hour').click();
    const hour = page.getByRole('region', { name: 'Data as a table' }).getByRole('row').nth(1);
    await expect.poll(() => hour.getByRole('cell').first().textContent()).toMatch(/^[1-5]$/);
    await page.getByRole('link', { name: '7 days' }).click();
    await page.waitForURL('**/?period=7d');
    await page.getByText('Data as a table, by the day').click();
    await page.getByRole('region', { name: 'Data as a table' }).getByRole('link').first().click();
    await page.waitForURL(/request-logs\?since=.+&until=/);
    await page.goBack();
    expect(await page.getByRole('link', { name: '7 days' }).getAttribute('aria-current')).toBe('true');
  });

  test('leads from the top keys, models and errors to their requests', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'laptop' });
    await gateway.set({ api_key_auth_enabled: true });
    const headers = { authorization: `Bearer ${key.key}` };
    for (let request = 0; request < 2; request++) expect(await ask(gateway, headers)).toBe(200);
    gateway.pool[0]?.at.next(requestRefused());
    expect(await ask(gateway, headers)).toBe(400);
    const [{ error_code: code }] = (await gateway.logs('?status=400')) as [{ error_code: string }];

    const page = await visit();
    await page.getByRole('region', { name: 'Top API keys' }).getByRole('link', { name: 'laptop' }).click();
    await page.getByText('3 requests match').waitFor();
    await page.goBack();
    await page.getByRole('region', { name: 'Top models' }).getByRole('link', { name: validRequest.model }).click();
    await page.getByRole('button', { name: `Remove Model: ${validRequest.model}` }).waitFor();
    await page.goBack();
    await page.getByRole('region', { name: 'Top errors' }).getByRole('link', { name: code }).click();
    await page.getByText('1 request matches').waitFor();
    await page.getByRole('button', { name: `Remove Error: ${code}` }).waitFor();
    await page.goBack();
    await page.getByRole('region', { name: 'Top API keys' }).getByRole('link', { name: 'All' }).click();
    await page.waitForURL(/usage\?by=key&last=24h/);
  });

  test('shows in one row what belongs together, and when each account resets', async () => {
    const { gateway, visit } = await startJourney({ accounts: 2 });
    expect(await ask(gateway)).toBe(200);
    await expect.poll(() => gateway.events('AccountUsageObserved').length, waitOptions).toBeGreaterThan(1);
    const page = await visit();
    await page.locator('.plot canvas').nth(3).waitFor();
    const capacity = page.getByRole('region', { name: 'Capacity by account' });
    await capacity
      .getByRole('img', { name: /^Primary window [\d.]+ % remaining, resets in .+; Secondary window / })
      .nth(1)
      .waitFor();
    const tops = (locator: ReturnType<typeof page.locator>) =>
      locator.evaluateAll((elements) =>
        elements.map((element) => Math.round((element as unknown as Measured).getBoundingClientRect().top)),
      );
    for (const width of [1_280, 1_440, 2_560]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(async () => new Set(await tops(page.getByRole('figure'))).size, waitOptions).toBe(1);
      expect(new Set(await tops(page.getByRole('region', { name: /^Top / }))).size).toBe(1);
    }
    await capacity.getByRole('link', { name: 'account-1@example.com' }).click();
    await page.getByRole('dialog', { name: 'account-1@example.com' }).waitFor();
  });

  test('resizes charts with the window', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    expect(await ask(gateway)).toBe(200);
    const page = await visit();
    await page.locator('.plot canvas').nth(3).waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth'), waitOptions).toBe(360);
  });

  test('lists what needs attention, with a link to the page that fixes it', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const page = await visit();
    await page.getByText('Nothing needs attention').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();

    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 10 }];
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'laptop', limits });
    await gateway.set({ api_key_auth_enabled: true });
    expect(await ask(gateway, { authorization: `Bearer ${key.key}` })).toBe(200);
    await page.getByText('The key laptop has reached its limit').waitFor();
    await page.getByText(/10 tokens a day, 510 % used, resets in (1d|23h)/).waitFor();

    await gateway.api('POST', `/api/accounts/${gateway.pool[0]?.id}/pause`);
    await page.getByText('No account can serve requests').waitFor();
    await page.getByRole('link', { name: /^Available accounts 0 of 1/ }).waitFor();
    await page.getByRole('link', { name: 'View: The key laptop has reached its limit' }).click();
    await page.getByRole('dialog', { name: 'laptop' }).waitFor();
  });

  test('reports an unreachable store until it is back', async () => {
    const server = await startFakeEventStore();
    onTestFinished(() => server.kill());
    const env = { SVC_EVENTSTORE_URL: server.url, SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const { visit } = await startJourney({ accounts: 1, env });
    const page = await visit();
    await page.getByText('Nothing needs attention').waitFor();
    await page
      .getByRole('region', { name: 'Service' })
      .getByText(/^\d+ in EventStoreDB$/)
      .waitFor();

    await server.kill();
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByText('EventStoreDB does not respond').waitFor({ timeout: 30_000 });
    await attention.getByText(/changes are refused until it is back.*last response/).waitFor();
    const again = await startFakeEventStore({ database: server.database, port: server.port });
    onTestFinished(() => again.kill());
    await page.getByText('Nothing needs attention').waitFor({ timeout: 30_000 });
  });

  test('shows the remaining usage of both windows and its trend', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await expect.poll(() => gateway.events('AccountUsageObserved').length).toBeGreaterThan(0);
    const page = await visit();
    await page.getByRole('meter', { name: 'Primary window, remaining' }).waitFor();
    for (const name of ['Primary', 'Secondary']) {
      await page.getByRole('img', { name: `${name} window, remaining over the last 7 days` }).waitFor();
    }
  });

  test('links an account that the provider rejects to a new sign-in', async () => {
    const { gateway, visit } = await startJourney({ accounts: 2 });
    const [first] = gateway.pool as [Gateway['pool'][number]];
    first.at.expireAccessToken();
    first.at.token = { status: 401, error: 'refresh_token_reused' };
    expect(await ask(gateway)).toBe(200);
    const page = await visit();
    await page.getByText(`${first.at.email} is deactivated`).waitFor();
    await page.getByRole('link', { name: /^Sign in again: / }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Sign in with this browser/ })
      .waitFor();
  });
});

interface Measured {
  getBoundingClientRect(): { readonly top: number };
}

/** Runs in the page. */
const hrefsOf = (links: { getAttribute(name: string): string | null }[]) =>
  links.map((link) => link.getAttribute('href'));
