import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PASSWORD } from '../support/browser.ts';
import { type Gateway, validRequest } from '../support/gateway.ts';
import { requestRefused, serverError } from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';
import { journeys, startJourney } from './support/journey.ts';
import { layoutShiftOf } from './support/layoutShift.ts';
import { writePastRequests } from './support/pastRequests.ts';

const ask = async (gateway: Gateway, body: Record<string, unknown> = {}) => {
  await (await gateway.ask({ ...validRequest, ...body })).text();
};
/** Text of the rows without the times. */
const rows = (page: Page) => page.locator('tr.request');
const choose = async (page: Page, menu: string, choice: string | RegExp) => {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('dialog', { name: menu }).getByRole('checkbox', { name: choice }).check();
  await page.keyboard.press('Escape');
};
const found = (page: Page, count: number) =>
  page.getByText(new RegExp(`^${count} requests? match(es)?, newest first$`)).waitFor();

journeys('request log', () => {
  test('keeps filters in the URL, with counts and the back button', async () => {
    const { gateway, visit } = await startJourney({ accounts: 2 });
    for (const effort of ['low', 'high', 'high']) await ask(gateway, { reasoning: { effort } });
    await ask(gateway, { model: 'gpt-5.5' });
    for (const { at } of gateway.pool) at.next(requestRefused());
    await ask(gateway, { model: 'gpt-5.5' });
    const page = await visit({ path: '/request-logs' });
    await page.getByText('5 requests, newest first').waitFor();

    await page.getByRole('button', { name: 'Model', exact: true }).click();
    await page.getByRole('checkbox', { name: 'gpt-5.1 3' }).check();
    await page.keyboard.press('Escape');
    await found(page, 3);
    await choose(page, 'Effort', 'high 2');
    await found(page, 2);
    expect(page.url()).toMatch(/\?model=gpt-5\.1&reasoningEffort=high$/);
    await page.getByRole('button', { name: 'Remove Model: gpt-5.1' }).click();
    await page.waitForURL(/\?reasoningEffort=high$/);
    await page.getByRole('button', { name: 'Remove Effort: high' }).click();
    await page.getByText('5 requests, newest first').waitFor();
    await page.goBack();
    await page.goBack();
    await found(page, 2);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('5 requests, newest first').waitFor();

    await choose(page, 'Status', '400 1');
    await found(page, 1);
    await page.reload();
    await found(page, 1);
    await page.getByRole('button', { name: 'Remove Status: 400' }).click();
    await page.getByLabel('Search request IDs and error messages').fill('no such thing');
    await page.getByRole('heading', { name: 'No results' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('5 requests, newest first').waitFor();
    await page.getByRole('button', { name: 'Any time' }).click();
    await page.getByRole('button', { name: 'Last hour' }).click();
    await found(page, 5);
    await page.goto(`${gateway.url}/request-logs?since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z&model=gpt-5.1`);
    await page.getByRole('heading', { name: 'No results' }).waitFor();
    await page.getByRole('button', { name: /^Remove From: / }).waitFor();
    await page.getByRole('button', { name: /^Remove To: / }).click();
    await found(page, 3);
  });

  test('remembers views under names, without the request that is open', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await ask(gateway);
    await ask(gateway, { model: 'gpt-5.5' });
    const [newest] = await gateway.logs();
    const page = await visit({ path: `/request-logs?model=gpt-5.5&sort=-latency_ms&request=${newest.request_id}` });
    await rows(page).first().waitFor();
    const views = page.getByRole('button', { name: 'Views', exact: true });
    const menu = page.getByRole('dialog', { name: 'Views' });
    const name = menu.getByLabel('Name of the view');
    await views.click();
    await name.fill('slow 5.5');
    await name.press('Enter');
    await menu.locator('a[aria-current]', { hasText: 'slow 5.5' }).waitFor();

    await page.goto(`${gateway.url}/request-logs`);
    await rows(page).nth(1).waitFor();
    await views.click();
    expect(await menu.locator('a[aria-current]').count()).toBe(0);
    await menu.getByRole('link', { name: 'slow 5.5' }).click();
    await page.waitForURL(/\?model=gpt-5\.5&sort=-latency_ms$/);
    await menu.waitFor({ state: 'detached' });

    await page.goto(`${gateway.url}/request-logs?model=gpt-5.1`);
    await rows(page).first().waitFor();
    await views.click();
    await name.fill('slow 5.5');
    await menu.getByRole('button', { name: 'Replace' }).click();
    expect(await menu.getByRole('link', { name: 'slow 5.5' }).getAttribute('href')).toBe('/request-logs?model=gpt-5.1');
    await menu.getByRole('button', { name: 'Delete the view slow 5.5' }).click();
    await menu.getByText('This browser keeps them').waitFor();
    await page.goto(`${gateway.url}/usage`);
    await views.click();
    await menu.getByText('This browser keeps them').waitFor();
  });

  test('adds new requests while the tail is on and counts them while it is off', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await ask(gateway);
    const page = await visit({ path: '/request-logs' });
    await rows(page).first().waitFor();
    await ask(gateway, { model: 'gpt-5.5' });
    await rows(page).filter({ hasText: 'gpt-5.5' }).waitFor();
    expect(await rows(page).first().textContent()).toContain('gpt-5.5');

    await page.getByRole('button', { name: 'Live tail', pressed: true }).click();
    await page.waitForURL(/\?tail=off$/);
    await page.getByRole('button', { name: 'Live tail', pressed: false }).waitFor();
    await ask(gateway, { model: 'gpt-5.4-nano' });
    await page.getByRole('button', { name: 'Show 1 newer request' }).waitFor();
    expect(await rows(page).count()).toBe(2);
    await page.getByRole('button', { name: 'Show 1 newer request' }).click();
    await rows(page).filter({ hasText: 'gpt-5.4-nano' }).waitFor();
    await page.getByRole('button', { name: 'Live tail', pressed: false }).click();
    await ask(gateway, { model: 'gpt-5' });
    await rows(page).nth(3).waitFor();
  });

  test('the tail marks new rows without an animation', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await ask(gateway);
    const page = await visit({ path: '/request-logs', reducedMotion: 'no-preference' });
    await rows(page).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await ask(gateway);
    await page.locator('tr.fresh').waitFor();
    const animated = await page.evaluate('document.getAnimations().map(({ effect }) => String(effect.target))');
    expect(animated).toEqual([]);
    await page.locator('tr.fresh').waitFor({ state: 'detached' });
  });

  test('the tail keeps visible rows in place and counts those added above', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await writePastRequests(gateway, [gateway.pool[0]?.id ?? ''], ['11111111-1111-4111-8111-111111111111']);
    const page = await visit({ path: '/request-logs' });
    await rows(page).nth(20).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.evaluate('scrollTo(0, 1500)');
    const time = await page.locator('tr.request[aria-rowindex="41"] time').getAttribute('datetime');
    const read = page.locator(`tr.request:has(time[datetime="${time}"])`);
    const place = async () => Math.round((await read.boundingBox())?.y ?? Number.NaN);
    const before = await place();
    await ask(gateway, { model: 'gpt-5.5' });
    await page.getByRole('button', { name: '1 new request' }).waitFor();
    await ask(gateway, { model: 'gpt-5.5' });
    await page.getByRole('button', { name: '2 new requests' }).waitFor();
    expect(Math.abs((await place()) - before)).toBeLessThanOrEqual(1);
    await page.getByRole('button', { name: '2 new requests' }).click();
    await rows(page).filter({ hasText: 'gpt-5.5' }).nth(1).waitFor();
    await page.getByRole('button', { name: /new requests/ }).waitFor({ state: 'detached' });
  });

  test('opens a request with attempts, tokens and event by mouse, keyboard and link', async () => {
    const { gateway, visit } = await startJourney({ accounts: 2 });
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'laptop' });
    await gateway.set({ api_key_auth_enabled: true });
    const headers = { authorization: `Bearer ${key.key}` };
    gateway.pool[0]?.at.next(serverError());
    await (await gateway.ask(validRequest, { headers })).text();
    await (await gateway.ask({ ...validRequest, model: 'gpt-5.5' }, { headers })).text();
    const [newest, retried] = await gateway.logs();
    const page = await visit({ path: '/request-logs' });
    await rows(page).filter({ hasText: 'after 2 attempts' }).click();
    const panel = page.getByRole('dialog', { name: 'gpt-5.1' });
    await panel.getByText(retried.request_id).waitFor();
    await panel.getByText(/^2\. /).waitFor();
    await panel.getByRole('link', { name: 'laptop' }).waitFor();
    expect(page.url()).toContain(`request=${retried.request_id}`);
    await page.keyboard.press('k');
    await page.getByRole('dialog', { name: 'gpt-5.5' }).getByText(newest.request_id).waitFor();
    await page.keyboard.press('j');
    await panel.waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });

    await page
      .getByRole('button', { name: /^Details of the request at/ })
      .first()
      .focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await panel.waitFor();

    await page.goto(`${gateway.url}/request-logs?model=gpt-5.5&request=${retried.request_id}`);
    await panel.getByText(retried.request_id).waitFor();
    await panel.getByRole('link', { name: 'Event in the history' }).click();
    const sentence = new RegExp(`^Request ${retried.request_id} for gpt-5\\.1 ended with 200`);
    await page.getByRole('dialog', { name: sentence }).waitFor();
  });

  test('sorts by a column, which is in the URL, and follows only the newest first', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    for (const model of ['gpt-5.1', 'gpt-5.5', 'gpt-5.4-nano']) await ask(gateway, { model });
    const page = await visit({ path: '/request-logs' });
    await page.getByText('3 requests, newest first').waitFor();
    const first = rows(page).first();
    await page.getByRole('columnheader', { name: 'Time' }).getByRole('button').click();
    await page.getByText('3 requests, oldest first').waitFor();
    await first.getByText('gpt-5.1', { exact: true }).waitFor();
    await page.waitForURL(/\?sort=requested_at$/);
    expect(await page.getByRole('columnheader', { name: 'Time' }).getAttribute('aria-sort')).toBe('ascending');
    await page.getByRole('button', { name: 'Live tail', disabled: true }).waitFor();

    const latency = page.getByRole('columnheader', { name: 'Latency' });
    await latency.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await page.getByText('3 requests, slowest first').waitFor();
    const { requests } = (await gateway.api('GET', '/api/request-logs?sort=-latency_ms')).body;
    await expect
      .poll(() => page.evaluate(TIMES_OF_ROWS), waitOptions)
      .toEqual(requests.map(({ requested_at }: { requested_at: string }) => requested_at));
    await page.reload();
    await page.getByText('3 requests, slowest first').waitFor();
    await ask(gateway);
    await page.getByRole('button', { name: 'Show 1 newer request' }).click();
    await page.getByText('4 requests, slowest first').waitFor();
    await latency.getByRole('button').click();
    await latency.getByRole('button').click();
    await page.getByText('4 requests, newest first').waitFor();
  });

  test('the panel leaves the list usable, and keeps the width that it is given', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await ask(gateway);
    await ask(gateway, { model: 'gpt-5.5' });
    const page = await visit({ path: '/request-logs' });
    await rows(page).nth(1).click();
    await page.getByRole('dialog', { name: 'gpt-5.1' }).waitFor();
    const newest = page.getByRole('dialog', { name: 'gpt-5.5' });
    // The list is not covered: another row opens without closing the panel first.
    await rows(page).first().click();
    await newest.waitFor();
    expect(await rows(page).first().getAttribute('aria-current')).toBe('true');
    await choose(page, 'Effort', /^default effort/);
    await found(page, 2);
    await newest.waitFor();

    const width = async () => Math.round((await newest.boundingBox())?.width ?? Number.NaN);
    const edge = page.getByRole('separator', { name: 'Width of the panel' });
    expect(await width()).toBe(544);
    await edge.focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(width, waitOptions).toBe(560);
    await page.keyboard.press('Home');
    await expect.poll(width, waitOptions).toBe(352);
    expect(await edge.getAttribute('aria-valuenow')).toBe('352');
    const box = await edge.boundingBox();
    if (!box) throw new Error('the edge has no box');
    await page.mouse.move(box.x + 4, 400);
    await page.mouse.down();
    await page.mouse.move(box.x - 96, 420, { steps: 5 });
    await page.mouse.up();
    await expect.poll(width, waitOptions).toBeGreaterThan(440);
    const dragged = await width();
    await page.reload();
    await newest.waitFor();
    expect(await width()).toBe(dragged);
    const list = await page.locator('.frame').boundingBox();
    const panel = await newest.boundingBox();
    expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThanOrEqual(panel?.x ?? 0);

    await page.keyboard.press('Escape');
    await newest.waitFor({ state: 'detached' });
    await page.waitForURL(({ searchParams }) => !searchParams.has('request'));
  });

  test('the panel is a sheet over the whole window at 360 px', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await ask(gateway);
    const page = await visit({ path: '/request-logs', viewport: { width: 360, height: 740 } });
    await page.getByRole('button', { name: /^Details of the request at/ }).focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('dialog', { name: 'gpt-5.1' });
    await panel.waitFor();
    await expect.poll(async () => (await panel.boundingBox())?.x, waitOptions).toBe(0);
    expect(await panel.boundingBox()).toMatchObject({ y: 0, width: 360, height: 740 });
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
  });

  test('renders a bounded number of rows, and keeps the one with the focus', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await writePastRequests(gateway, [gateway.pool[0]?.id ?? ''], ['11111111-1111-4111-8111-111111111111']);
    const page = await visit({ path: '/request-logs' });
    await rows(page).nth(20).waitFor();
    const details = page.getByRole('button', { name: /^Details of the request at/ });
    await details.nth(2).focus();
    const focused = () => page.locator('tr:has(:focus)').getAttribute('aria-rowindex');
    expect(await focused()).toBe('4');
    const last = async () => Number(await rows(page).last().getAttribute('aria-rowindex'));
    await expect
      .poll(async () => {
        await page.evaluate('scrollBy(0, 1000)');
        return last();
      }, waitOptions)
      .toBeGreaterThan(250);
    expect(await rows(page).count()).toBeLessThan(100);
    expect(await focused()).toBe('4');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('5');
  });

  test('asks only for what is new while it follows the list', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await ask(gateway);
    const page = await visit({ path: '/request-logs' });
    await rows(page).first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const asked = page.waitForRequest((request) => new URL(request.url()).searchParams.has('after'));
    await ask(gateway, { model: 'gpt-5.5' });
    const response = await (await asked).response();
    if (!response) throw new Error('the list of new requests was not answered');
    const { requests, position } = await response.json();
    expect(requests.map(({ model }: { model: string }) => model)).toEqual(['gpt-5.5']);
    expect(position).toBeGreaterThan(0);
    await page.getByText('2 requests, newest first').waitFor();
  });

  test('explains why an account served a request, why the others did not, and why one was refused', async () => {
    const { gateway, visit } = await startJourney({ accounts: 3 });
    const [failing, paused, serving] = gateway.pool;
    await gateway.api('POST', `/api/accounts/${paused?.id}/pause`);
    failing?.at.next(serverError());
    await ask(gateway);
    await gateway.api('POST', `/api/accounts/${serving?.id}/pause`);
    await gateway.api('POST', `/api/accounts/${failing?.id}/pause`);
    await ask(gateway, { model: 'gpt-5.5' });
    const page = await visit({ path: '/request-logs' });
    await rows(page).filter({ hasText: 'after 2 attempts' }).click();
    const panel = page.getByRole('dialog', { name: 'gpt-5.1' });
    const explanation = panel.getByRole('region', { name: 'Explanation' });
    await explanation.getByRole('button', { name: 'Explain' }).click();
    await explanation.getByRole('heading', { name: /^Attempt 2: / }).waitFor();
    await explanation.getByText('No other account could be chosen.').waitFor();
    expect(await explanation.getByText('Chosen', { exact: true }).count()).toBe(2);
    await explanation.getByText('Paused', { exact: true }).first().waitFor();
    await explanation.getByText('Already tried', { exact: true }).waitFor();
    await explanation.getByRole('link', { name: /^Request completed at / }).waitFor();
    await page.keyboard.press('k');
    await page.getByText('There was no account that could serve it, now or later.').waitFor();
    expect(await page.getByText('Paused', { exact: true }).count()).toBe(3);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download receipt' }).click(),
    ]);
    const receipt = JSON.parse(readFileSync(await file.path(), 'utf8'));
    expect(JSON.parse(receipt.entry).type).toBe('RequestCompleted');
    expect(receipt.proof).toContain(receipt.checkpoint.trim());
  });

  test('shows the chosen columns, and the percentiles of the matching requests', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'laptop', owner: 'Ada' });
    await gateway.set({ api_key_auth_enabled: true });
    const headers = { authorization: `Bearer ${key.key}`, 'user-agent': 'test-client/1.2' };
    for (const model of ['gpt-5.1', 'gpt-5.1', 'gpt-5.5'])
      await (await gateway.ask({ ...validRequest, model }, { headers })).text();

    const page = await visit({ path: '/request-logs' });
    const figures = page.getByRole('group', { name: 'Figures of these requests' });
    await figures.getByText('3 requests', { exact: true }).waitFor();
    await figures.getByText(/^p99 \d+ m?s$/).waitFor();
    const titles = () => page.getByRole('columnheader').allInnerTexts();
    expect(await titles()).toEqual(['Time', 'Status', 'Model', 'Account', 'Tokens', 'Cost', 'Latency']);
    await page.getByRole('button', { name: 'Columns' }).click();
    for (const name of ['Owner', 'Client', 'Key']) await page.getByRole('checkbox', { name }).check();
    await page.getByRole('checkbox', { name: 'Account' }).uncheck();
    await page.keyboard.press('Escape');
    const chosen = ['Time', 'Status', 'Model', 'Key', 'Owner', 'Client', 'Tokens', 'Cost', 'Latency'];
    await expect.poll(titles, waitOptions).toEqual(chosen);
    const row = page.locator('tr.request').first();
    for (const text of ['laptop', 'Ada', 'test-client 1.2']) await row.getByText(text).waitFor();

    // The view is its URL.
    await page.goto(`${page.url()}&model=gpt-5.1`);
    await page.getByText('2 requests match').waitFor();
    await figures.getByText('2 requests', { exact: true }).waitFor();
    expect(await titles()).toEqual(chosen);
    await page.getByRole('button', { name: 'Columns' }).click();
    for (const name of ['Owner', 'Client', 'Key']) await page.getByRole('checkbox', { name }).uncheck();
    await page.getByRole('checkbox', { name: 'Account' }).check();
    await page.waitForURL(/request-logs\?model=gpt-5\.1$/);
  });

  test('keeps the list in place while its figures load', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await ask(gateway);
    const shifts: number[] = [];
    for (const width of [360, 1_280, 2_560]) {
      const page = await visit({ path: '/request-logs', viewport: { width, height: 900 } });
      await page
        .getByRole('group', { name: 'Figures of these requests' })
        .getByText('1 request', { exact: true })
        .waitFor();
      await page.locator('tr.request').waitFor();
      shifts.push(await layoutShiftOf(page));
    }
    expect(Math.max(...shifts)).toBeLessThan(0.02);
  });

  test('shows the whole address of an account in a wide window', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await ask(gateway);
    const page = await visit({ path: '/request-logs', viewport: { width: 2_560, height: 1_440 } });
    const address = page.locator('tr.request td.account');
    await address.locator('span[title^="account-1@example.com, "]').waitFor();
    await address.evaluate((cell) => {
      cell.textContent = 'margaret.hamilton@example.com after 2 attempts';
    });
    const isWhole = () => address.evaluate((cell) => cell.scrollWidth <= cell.clientWidth);
    expect(await isWhole()).toBe(true);
    await page.locator('tr.request button').click();
    await page.getByRole('dialog').waitFor();
    expect(await isWhole()).toBe(true);
  });

  test('asks for its rows before names and figures, and for the font once there is text or in the cache', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await ask(gateway);
    const page = await visit({ path: '/request-logs' });
    const asked = async (): Promise<string[]> => {
      await rows(page).waitFor();
      await page.waitForFunction(`localStorage.getItem('svc-font') !== null`);
      return page.evaluate(`performance.getEntriesByType('resource')
        .toSorted((a, b) => a.startTime - b.startTime).map(({ name }) => new URL(name).pathname)`);
    };
    const placeOf = (paths: readonly string[], part: string) => paths.findIndex((path) => path.includes(part));
    const first = await asked();
    const list = '/api/request-logs';
    for (const names of ['/api/accounts', '/api/api-keys', '/api/teams', '/api/owners', '/api/usage/breakdown'])
      expect(first.indexOf(names)).toBeGreaterThan(first.indexOf(list));
    expect(placeOf(first, 'inter-latin-wght')).toBeGreaterThan(first.indexOf(list));
    await page.reload();
    const second = await asked();
    expect(placeOf(second, 'inter-latin-wght')).toBeGreaterThan(0);
    expect(placeOf(second, 'inter-latin-wght')).toBeLessThan(second.indexOf(list));
  });

  test('asks for its rows beside its scripts, once, in a session', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await ask(gateway);
    await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
    const page = await visit({ path: '/sign-in' });
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.goto(`${gateway.url}/request-logs`);
    await rows(page).waitFor();
    const asked = (await page.evaluate(`performance.getEntriesByType('resource')
      .filter(({ name }) => new URL(name).pathname === '/api/request-logs')
      .map(({ name, initiatorType }) => [initiatorType, new URL(name).search])`)) as [string, string][];
    const lists = asked.filter(([, search]) => !search.includes('after='));
    expect(lists).toEqual([['link', expect.stringContaining('sort=-requested_at')]]);
  });

  test('exports the matching rows as CSV and JSON', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await ask(gateway);
    await ask(gateway, { model: '=HYPERLINK("http://example.com")' });
    await ask(gateway, { model: 'gpt-5.5' });
    const page = await visit({ path: '/request-logs?model=gpt-5.1&model=%3DHYPERLINK(%22http://example.com%22)' });
    const download = async (kind: string) => {
      await page.getByRole('button', { name: 'Export' }).click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `As ${kind}` }).click(),
      ]);
      return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
    };
    const csv = await download('CSV');
    await page.getByText('2 requests exported').waitFor();
    expect(csv.name).toMatch(/^svc-requests-[\dT-]+\.csv$/);
    const [head, first, second, rest] = csv.text.slice(1).split('\r\n');
    expect(head).toMatch(/^requested_at,request_id,status,/);
    expect(first).toContain(`,"'=HYPERLINK(""http://example.com"")",`);
    expect(second).toContain(',gpt-5.1,');
    expect(head).toContain(',account_id,account,api_key_id,api_key,owner,owner_name,');
    expect(second).toContain(',account-1@example.com,');
    expect(rest).toBe('');
    const json = await download('JSON');
    expect(JSON.parse(json.text)).toEqual(
      await gateway.logs('?model=gpt-5.1&model=%3DHYPERLINK(%22http://example.com%22)'),
    );
    const { events } = (await gateway.api('GET', '/api/history?type=RequestsExported')).body;
    expect(events.map(({ sentence }: { sentence: string }) => sentence.slice(0, 58))).toEqual([
      '2 requests of the request log were exported as JSON (model',
      '2 requests of the request log were exported as CSV (model ',
    ]);
  });
});

/** Runs in the page. */
const TIMES_OF_ROWS = `[...document.querySelectorAll('tr.request time')].map((time) => time.getAttribute('datetime'))`;
