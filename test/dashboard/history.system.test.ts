import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PASSWORD } from '../support/browser.ts';
import { validRequest } from '../support/gateway.ts';
import { journeys, startJourney } from './support/journey.ts';

/** For polls that press a key. */
const SELDOM = { timeout: 30_000, interval: 250 };

const event = (page: Page, sentence: string | RegExp) => page.getByRole('button', { name: sentence });

/** Whether the end of the page is in view. Observers have been notified of it. */
const IS_END_NEAR = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
  resolve(innerHeight + scrollY >= document.documentElement.scrollHeight - 100))))`;

/** Holds the next response with newer events back. */
async function holdNewer(page: Page) {
  const released = Promise.withResolvers<void>();
  const isNewer = /\/api\/history\?.*\bafter=/;
  await page.route(isNewer, (route) => released.promise.then(() => route.continue()), { times: 1 });
  return { asked: page.waitForRequest(isNewer), release: released.resolve };
}

journeys('history', () => {
  test('shows a change live, with its actor and the changed fields', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000 }];
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'laptop', limits });
    const page = await visit({ path: '/history' });
    await event(page, /^API key "laptop" .* was created$/).waitFor();
    await gateway.api('PATCH', `/api/api-keys/${key.id}`, { limits: [{ ...limits[0], max_value: 2_000_000 }] });
    await event(page, /^API key "laptop" has /).click();

    const panel = page.getByRole('dialog');
    await panel.getByRole('row', { name: 'Limit 1 1,000 tokens a day 2,000,000 tokens a day' }).waitFor();
    expect(await panel.getByRole('row').count()).toBe(2);
    await panel.getByText('Built-in administrator at 127.0.0.1').waitFor();
    await page.getByText('Raw event').click();
    await panel.getByText('"maxValue": 2000000').waitFor();

    await panel.getByRole('button', { name: 'Older' }).click();
    await panel.getByRole('row', { name: 'Name laptop', exact: true }).waitFor();
    expect(await panel.innerText()).not.toMatch(/[0-9a-f]{64}/);
    await panel.getByRole('link', { name: 'All events of this subject' }).click();
    await page.waitForURL(/\?subject=apiKey-/);
    await page.getByRole('button', { name: 'Remove Subject: Key laptop' }).waitFor();
    await expect.poll(() => page.getByRole('listitem').filter({ hasText: 'API key "laptop"' }).count()).toBe(2);
  });

  test('keeps filters in the URL and hides requests by default', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
    await gateway.api('POST', '/api/api-keys', { name: 'laptop' });
    await (await gateway.ask(validRequest)).text();
    const page = await visit({ path: '/history' });
    await event(page, '127.0.0.1 may use the proxy').waitFor();
    expect(await event(page, /^Request req_/).count()).toBe(0);
    await page.getByRole('button', { name: 'Show all events' }).click();
    await event(page, /^Request req_.* ended with 200 on account account-1@/).waitFor();
    await page.goBack();
    await event(page, /^Request req_/).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Type', exact: true }).click();
    await page.getByRole('checkbox', { name: /^Settings and firewall/ }).check();
    await page.keyboard.press('Escape');
    await event(page, /^API key/).waitFor({ state: 'detached' });
    expect(page.url()).toMatch(/\?kind=settings$/);
    await page.reload();
    await event(page, '127.0.0.1 may use the proxy').waitFor();
    expect(await event(page, /^API key/).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove Type: Settings and firewall' }).click();
    await page.getByLabel('Search events').fill('laptop');
    await event(page, '127.0.0.1 may use the proxy').waitFor({ state: 'detached' });
    await event(page, /^API key "laptop"/).waitFor();
    await page.goto(`${gateway.url}/history?actor=cli`);
    await page.getByRole('heading', { name: 'No results' }).waitFor();
  });

  test('loads older events page by page, with the keyboard alone', async () => {
    const { gateway, visit } = await startJourney();
    for (let host = 1; host <= 130; host++) {
      await gateway.api('POST', '/api/firewall/ips', { ip_address: `10.0.0.${host}` });
    }
    await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
    const page = await visit({ path: '/sign-in?next=%2Fhistory' });
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await event(page, '10.0.0.130 may use the proxy').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: '10.0.0.130 may use the proxy' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The end comes into view while newer events are loaded: the older ones are loaded after them.
    const newer = await holdNewer(page);
    await gateway.api('POST', '/api/dashboard-auth/password/login', { password: 'guessed' });
    await newer.asked;
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return page.evaluate(IS_END_NEAR);
      }, SELDOM)
      .toBe(true);
    newer.release();
    // Only the rows around those in view are rendered, however many are loaded. A key at every frame would leave no time for them.
    await expect
      .poll(async () => {
        await page.keyboard.press('End');
        return event(page, '10.0.0.1 may use the proxy').count();
      }, SELDOM)
      .toBe(1);
    expect(await event(page, /may use the proxy$/).count()).toBeLessThan(100);
    await page.getByText('End of history').waitFor();
    const oldest = page.getByRole('listitem').filter({ has: event(page, '10.0.0.1 may use the proxy') });
    expect(Number(await oldest.getAttribute('aria-setsize'))).toBeGreaterThanOrEqual(130);
    // The focus is back in its row, which therefore stays rendered.
    expect(await page.locator('li:has(:focus)').textContent()).toContain('10.0.0.130 may use the proxy');
  });

  test('groups what repeats, and shows each when asked', async () => {
    const { gateway, visit } = await startJourney();
    await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
    await gateway.api('POST', '/api/dashboard-auth/password/login', { password: PASSWORD });
    for (let times = 0; times < 3; times += 1)
      await gateway.api('POST', '/api/dashboard-auth/password/login', { password: 'guessed' });
    const page = await visit({ path: '/sign-in?next=%2Fhistory' });
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    const failed = page.getByRole('listitem').filter({ hasText: 'unauthenticated, from 127.0.0.1' });
    await failed.getByRole('button', { name: '3 times', expanded: false }).click();
    await expect.poll(() => failed.count()).toBe(3);
    await failed.getByRole('button', { name: '3 times', expanded: true }).click();
    await expect.poll(() => failed.count()).toBe(1);
    expect(page.url()).not.toContain('event=');
  });

  test('stays short while it is open at its top, and in place while it is scrolled down', async () => {
    const { gateway, visit } = await startJourney();
    let host = 0;
    const add = async (count: number) => {
      for (const end = host + count; host < end; host += 1)
        await gateway.api('POST', '/api/firewall/ips', { ip_address: `10.0.${host >> 8}.${host & 255}` });
    };
    const newest = (page: Page) => event(page, `10.0.${(host - 1) >> 8}.${(host - 1) & 255} may use the proxy`);
    await add(60);
    const page = await visit({ path: '/history' });
    await newest(page).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    for (let round = 0; round < 5; round += 1) {
      await add(60);
      await newest(page).waitFor();
    }
    expect(await page.getByRole('listitem').filter({ hasText: 'may use the proxy' }).count()).toBeLessThanOrEqual(300);

    await page.keyboard.press('End');
    await expect.poll(() => page.evaluate<number>('window.scrollY')).toBeGreaterThan(1_000);
    await add(1);
    const newer = page.getByRole('button', { name: 'Newer events' });
    await newer.waitFor();
    expect(await newest(page).count()).toBe(0);
    await newer.click();
    await newest(page).waitFor();
    await newer.waitFor({ state: 'detached' });
  });

  test('asks only for what is new since a position while it is open', async () => {
    const { gateway, visit } = await startJourney();
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
    const page = await visit({ path: '/history' });
    await page.getByText('Live', { exact: true }).waitFor();
    await event(page, '127.0.0.1 may use the proxy').waitFor();
    const asked: URLSearchParams[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/api/history') asked.push(url.searchParams);
    });
    for (const host of [1, 2, 3]) {
      await gateway.api('POST', '/api/firewall/ips', { ip_address: `10.0.0.${host}` });
      await event(page, `10.0.0.${host} may use the proxy`).waitFor();
    }
    expect(asked.length).toBeGreaterThanOrEqual(3);
    const positions = asked.map((query) => Number(query.get('after')));
    expect(positions[0]).toBeGreaterThan(0);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(await page.getByRole('listitem').filter({ hasText: 'may use the proxy' }).count()).toBe(4);
  });

  test('does not continue the pages of one filter after another filter failed to load', async () => {
    const { gateway, visit } = await startJourney();
    await gateway.api('POST', '/api/api-keys', { name: 'laptop' });
    for (let host = 1; host <= 110; host++) {
      await gateway.api('POST', '/api/firewall/ips', { ip_address: `10.0.0.${host}` });
    }
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
    const page = await visit({ path: '/history' });
    await event(page, '10.0.0.110 may use the proxy').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();

    const cursorRequests: string[] = [];
    let fails = true;
    await page.route(
      ({ pathname, searchParams }) => pathname === '/api/history' && searchParams.has('search'),
      (route) => {
        const url = route.request().url();
        if (new URL(url).searchParams.has('cursor')) cursorRequests.push(url);
        return fails ? route.fulfill({ status: 500 }) : route.continue();
      },
    );
    await page.getByLabel('Search events').fill('laptop');
    await page.getByText('Couldn’t load the history').waitFor();
    await page.getByRole('button', { name: 'Load older events' }).click();
    const retry = page.getByRole('button', { name: 'Try again' });
    await retry.waitFor();
    fails = false;
    const loaded = event(page, /^API key "laptop"/).waitFor();
    // A live change may reload the list first, and take the button away.
    await Promise.race([retry.click().catch(() => loaded), loaded]);
    await loaded;
    await event(page, /may use the proxy$/)
      .first()
      .waitFor({ state: 'detached' });
    expect(cursorRequests).toEqual([]);
  });

  test('a live change reloads a filter that failed to load', async () => {
    const { gateway, visit } = await startJourney();
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
    const page = await visit({ path: '/history' });
    await event(page, '127.0.0.1 may use the proxy').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    let fails = true;
    await page.route(
      ({ pathname, searchParams }) => pathname === '/api/history' && searchParams.has('search'),
      (route) => (fails ? route.fulfill({ status: 500 }) : route.continue()),
    );
    await page.getByLabel('Search events').fill('laptop');
    await page.getByText('Couldn’t load the history').waitFor();
    fails = false;
    await gateway.api('POST', '/api/api-keys', { name: 'laptop' });
    await event(page, /^API key "laptop"/).waitFor();
    expect(await event(page, /may use the proxy$/).count()).toBe(0);
  });
});
