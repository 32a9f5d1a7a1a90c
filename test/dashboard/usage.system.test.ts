import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Gateway, validRequest } from '../support/gateway.ts';
import { requestRefused } from '../support/provider/scripts.ts';
import { addDemoData } from './support/demoData.ts';
import { journeys, startJourney } from './support/journey.ts';
import { layoutShiftOf } from './support/layoutShift.ts';
import { setUpAdministrator, signInAs } from './support/people.ts';
import { settled } from './support/settled.ts';

/** The first view waits for the page, its names and two breakdowns. */
const patience = { timeout: 45_000, interval: 50 };

async function ask(gateway: Gateway, key?: string, model = 'gpt-5.1') {
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  const response = await gateway.ask({ ...validRequest, model }, { headers });
  await response.text();
  return response.status;
}

const table = (page: Page) => page.getByRole('region', { name: 'Table of groups' });
/** The names of the rows, in their order. */
const rowNames = async (page: Page) =>
  (await table(page).getByRole('rowheader').allInnerTexts()).map((text) => text.trim());
const requestsOf = (page: Page, name: string) =>
  table(page)
    .getByRole('row', { name: new RegExp(`^${name}`) })
    .getByRole('cell')
    .nth(1)
    .locator('div')
    .first()
    .innerText();

/** Two keys with three requests and one, of which the provider refused one, and a request without a key. */
async function startUsage() {
  const journey = await startJourney({ accounts: 1 });
  const { gateway } = journey;
  const key = async (name: string) => (await gateway.api('POST', '/api/api-keys', { name })).body;
  const [laptop, formula] = [await key('laptop'), await key('=cmd()')];
  expect(await ask(gateway)).toBe(200);
  await gateway.set({ api_key_auth_enabled: true });
  for (let count = 0; count < 3; count++) expect(await ask(gateway, laptop.key)).toBe(200);
  gateway.pool[0]?.at.next(requestRefused());
  expect(await ask(gateway, formula.key, 'gpt-5.5')).toBe(400);
  await expect.poll(async () => (await gateway.logs()).length, patience).toBe(5);
  return { ...journey, laptop, formula };
}

journeys('usage', () => {
  test('groups requests, sorts them, and leads to those of a group', async () => {
    const { visit, laptop } = await startUsage();
    const page = await visit({ path: '/usage?sort=requests' });
    await expect
      .poll(() => rowNames(page), patience)
      .toEqual(['laptop', expect.any(String), expect.any(String), 'Total']);
    expect(await requestsOf(page, 'laptop')).toBe('3');
    expect(await requestsOf(page, 'No API key')).toBe('1');
    expect(await requestsOf(page, 'Total')).toBe('5');
    await page.getByRole('img', { name: /^Cost: \$[\d.]+\. laptop \$[\d.]+, No API key \$[\d.]+; peak / }).waitFor();

    await page.getByRole('link', { name: 'API key', exact: true }).click();
    await page.waitForURL(/sort=label&order=asc/);
    await expect.poll(() => rowNames(page), patience).toEqual(['=cmd()', 'laptop', 'No API key', 'Total']);
    await page.locator('th[aria-sort=ascending]', { hasText: 'API key' }).waitFor();

    await page.getByRole('link', { name: /^Failed requests 1/ }).click();
    await page.getByRole('img', { name: /^Failed requests: 1\. =cmd\(\) 1; peak 1 / }).waitFor();
    await page.getByText('Chart as a table, by the day').click();
    const steps = page.getByRole('region', { name: 'Chart as a table' });
    expect(await steps.getByRole('columnheader').allInnerTexts()).toEqual(['Day', '=cmd()', 'Total']);

    await page.getByRole('link', { name: 'laptop', exact: true }).click();
    await page.waitForURL(new RegExp(`/request-logs\\?apiKeyId=${laptop.id}&since=`));
    await page.getByText('3 requests match').waitFor();
    await page.getByRole('button', { name: 'Remove API key: laptop' }).waitFor();
    await page.goBack();

    await page.getByRole('combobox', { name: 'Group by: API key' }).click();
    await page.getByRole('option', { name: 'Status' }).click();
    await page.waitForURL(/by=status/);
    await expect.poll(() => rowNames(page), patience).toEqual(['200', '400', 'Total']);
    await page.getByRole('link', { name: '400', exact: true }).click();
    await page.getByText('1 request matches').waitFor();
  });

  test('zooms into what is dragged over and into a step of the table', async () => {
    const { visit } = await startUsage();
    const page = await visit({ path: '/usage?last=24h' });
    const canvas = page.locator('.plot canvas');
    await canvas.waitFor();
    const box = await page.locator('.u-over').boundingBox();
    if (!box) throw new Error('no chart');
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.7, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.85, y, { steps: 4 });
    await page.mouse.move(box.x + box.width - 1, y);
    await page.mouse.up();
    await page.waitForURL(/usage\?since=[^&]+&until=[^&]+$/);
    const { searchParams } = new URL(page.url());
    const hours =
      (Date.parse(searchParams.get('until') ?? '') - Date.parse(searchParams.get('since') ?? '')) / 3_600_000;
    expect(hours).toBeGreaterThan(6.9);
    expect(hours).toBeLessThan(9.1);
    await expect.poll(() => requestsOf(page, 'Total'), patience).toBe('5');
    await page.goBack();
    await page.waitForURL(/usage\?last=24h$/);
    await page.locator('[aria-current]', { hasText: /^24 h$/ }).waitFor();

    await page.getByRole('link', { name: '30 days' }).click();
    await page.getByText('Chart as a table, by the day').click();
    await page.getByRole('button', { name: /^Zoom in to / }).click();
    await page.getByText('Chart as a table, by the hour').waitFor();
    await expect.poll(() => requestsOf(page, 'Total'), patience).toBe('5');
  });

  test('a click after a drag that ended outside of the chart opens the requests of its step', async () => {
    const { visit } = await startUsage();
    const page = await visit({ path: '/usage?last=24h' });
    await page.locator('.plot canvas').waitFor();
    const boxOf = async () => {
      const box = await page.locator('.u-over').boundingBox();
      if (!box) throw new Error('no chart');
      return { left: box.x, right: box.x + box.width, y: box.y + box.height / 2, below: box.y + box.height + 60 };
    };
    const { left, right, y, below } = await boxOf();
    await page.mouse.move(left + (right - left) / 2, y);
    await page.mouse.down();
    await page.mouse.move(right - 20, y, { steps: 4 });
    await page.mouse.move(right - 20, below, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/usage\?since=[^&]+&until=[^&]+$/);
    await page.locator('[aria-current]', { hasText: /^24 h$/ }).waitFor({ state: 'detached' });
    await settled(page);
    const zoomed = await boxOf();
    await page.mouse.click((zoomed.left + zoomed.right) / 2, zoomed.y);
    await page.waitForURL(/request-logs\?since=/, { timeout: 15_000 });
  });

  test('writes names into a file that a spreadsheet does not run', async () => {
    const { visit } = await startUsage();
    const page = await visit({ path: '/usage?sort=label&order=asc' });
    await table(page).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^svc-usage-by-key-\d{4}-\d\d-\d\d\.csv$/);
    const lines = readFileSync(await file.path(), 'utf8')
      .slice(1)
      .split('\r\n');
    expect(lines.map((line) => line.split(',').slice(0, 1).join())).toEqual([
      'API key',
      "'=cmd()",
      'laptop',
      'No API key',
      'Total',
      '',
    ]);
    expect(lines[2]).toMatch(/^laptop,[\w-]+,3,0,/);
  });

  test('says what is empty, what is wrong, and what was at an earlier moment', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const [then] = (await gateway.api('GET', '/api/history?limit=1')).body.events;
    expect(await ask(gateway)).toBe(200);
    const page = await visit({ path: '/usage?model=no-such-model' });
    await page.getByText('No requests match these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => requestsOf(page, 'Total'), patience).toBe('1');
    await page.goto(`${gateway.url}/usage?at=${then.position}`);
    await page.getByRole('heading', { name: 'No requests in this time' }).waitFor();
    await page.goto(`${gateway.url}/usage?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z`);
    await page
      .getByRole('alert')
      .getByText(/since must not be after until/i)
      .waitFor();
    await page.goto(`${gateway.url}/usage?by=nothing&show=nothing&sort=nothing&last=nothing&since=yesterday`);
    await expect.poll(() => requestsOf(page, 'Total'), patience).toBe('1');
  });

  test('shows members their own requests, without accounts', { timeout: 240_000 }, async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const { call, join } = await setUpAdministrator(gateway);
    const mia = await join('Mia', 'member');
    await call('PUT', '/api/settings', {
      ...{ sticky_threads_enabled: true, prefer_earlier_reset_accounts: false, api_key_auth_enabled: true },
    });
    const { body: own } = await call('POST', '/api/api-keys', { name: 'of Mia', owner: mia });
    const { body: other } = await call('POST', '/api/api-keys', { name: 'of the team' });
    expect(await ask(gateway, own.key)).toBe(200);
    expect(await ask(gateway, other.key)).toBe(200);
    const page = await visit({ path: '/usage?by=account' });
    await signInAs(page, 'Mia');
    await expect.poll(() => rowNames(page), patience).toEqual(['of Mia', 'Total']);
    await page.getByRole('combobox', { name: 'Group by: API key' }).click();
    await page.getByRole('option', { name: 'Owner' }).waitFor();
    expect(await page.getByRole('option', { name: 'Account' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'of Mia', exact: true }).click();
    await page.getByText('1 request matches').waitFor();
  });

  test('keeps in place what is shown while the rest loads, on every width', async () => {
    const { gateway, visit } = await startJourney();
    await addDemoData(gateway);
    const shifts: number[] = [];
    for (const width of [360, 1_280, 2_560]) {
      const page = await visit({ path: '/usage?by=account', viewport: { width, height: 900 } });
      await settled(page);
      await page.locator('.plot canvas').waitFor();
      shifts.push(await layoutShiftOf(page));
    }
    expect(Math.max(...shifts)).toBeLessThan(0.02);
  });
});
