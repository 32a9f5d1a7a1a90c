import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { journeys, startJourney } from './support/journey.ts';
import { layoutShiftOf } from './support/layoutShift.ts';

const tab = (page: Page, name: RegExp) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name }).click();

journeys('past state', () => {
  test('keeps in place what is shown while the rest loads', async () => {
    const { gateway, visit } = await startJourney({ accounts: 8 });
    const long = 'a key whose name is longer than what a line has room for on a phone';
    for (const name of ['laptop', 'ci', long]) await gateway.api('POST', '/api/api-keys', { name });
    const [now] = (await gateway.api('GET', '/api/history?limit=1')).body.events;
    const shifts: number[] = [];
    for (const width of [360, 1_280, 2_560]) {
      const page = await visit({ path: `/history/as-of?at=${now.position}`, viewport: { width, height: 900 } });
      await page.getByText('account-8@example.com').waitFor();
      shifts.push(await layoutShiftOf(page));
    }
    expect(Math.max(...shifts)).toBeLessThan(0.02);
  });

  test('shows the past state of every section, read-only and marked as past', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const account = gateway.pool[0]?.id as string;
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'old name' });
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '10.0.0.9' });
    const [then] = (await gateway.api('GET', '/api/history?limit=1')).body.events;
    await gateway.api('POST', `/api/accounts/${account}/pause`);
    await gateway.api('PATCH', `/api/api-keys/${key.id}`, { name: 'new name' });
    await gateway.api('DELETE', '/api/firewall/ips/10.0.0.9');
    await gateway.set({ routing_strategy: 'round_robin' });

    const page = await visit({ path: '/history' });
    await page.getByRole('button', { name: '10.0.0.9 may use the proxy' }).click();
    await page.getByRole('link', { name: 'After' }).click();
    await page.waitForURL(new RegExp(`/history/as-of\\?at=${then.position}$`));
    await page.getByText('You are viewing a past state.').waitFor();
    await page.getByText(`State right after event ${then.position}, `).waitFor();
    const accountRow = page.getByRole('row').filter({ hasText: 'account-1@example.com' });
    await accountRow.getByText('Active', { exact: true }).waitFor();
    await accountRow.getByText('paused now').waitFor();
    await tab(page, /^API keys/);
    await page.getByRole('row').filter({ hasText: 'old name' }).getByText('new name now').waitFor();
    await tab(page, /^Firewall/);
    await page.getByRole('row').filter({ hasText: '10.0.0.9' }).getByText('removed since').waitFor();
    await tab(page, /^Settings/);
    await page.getByRole('row').filter({ hasText: 'Strategy' }).getByText('round robin now').waitFor();

    // No buttons that write: only moments, sections and the way back.
    const pressable = await page.locator('main').getByRole('button').allTextContents();
    expect(pressable.map((text) => text.replace(/\s*\d+$/, '').trim()).filter(Boolean)).toEqual([
      'An hour ago',
      'A day ago',
      'A week ago',
      'Accounts',
      'API keys',
      'Firewall',
      'Settings',
    ]);
    expect(await page.locator('main').getByRole('switch').count()).toBe(0);

    await page.getByRole('button', { name: 'Next change' }).click();
    await page.waitForURL(new RegExp(`at=${then.position + 1}\\b`));
    await tab(page, /^Accounts/);
    await accountRow.getByText('Paused', { exact: true }).waitFor();
    await page.getByRole('slider').press('Home');
    await page.getByText('No accounts').waitFor();
    await page.getByRole('button', { name: 'A week ago' }).click();
    await page.waitForURL(/at=20\d\d-/);
    await page.getByText(/^You are viewing a past state\. State at /).waitFor();
    await page.getByRole('link', { name: 'Back to current state' }).click();
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
  });

  test('explains an invalid moment', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const page = await visit({ path: '/history/as-of?at=yesterday' });
    await page.getByText('“yesterday” is neither a log position nor a time.').waitFor();
    await page.getByRole('slider').waitFor();
    expect(await page.getByText('Couldn’t show this moment').count()).toBe(0);
    await page.goto(`${gateway.url}/history/as-of?at=99999`);
    await page.getByText(/lies beyond the log/).waitFor();
    await page.goto(`${gateway.url}/history/as-of`);
    await page.getByText(/You are viewing a past state/).waitFor();
  });
});
