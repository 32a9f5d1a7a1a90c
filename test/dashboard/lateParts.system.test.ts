import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Gateway, validRequest } from '../support/gateway.ts';
import { journeys, startJourney } from './support/journey.ts';

// What a page can be shown without is loaded later: see dashboard/src/lib/ui/late.ts.

const PATH = '/request-logs';

/** Loads the request log again; `onLate` decides about each script and style that is no part of its first view. */
async function reload(page: Page, gateway: Gateway, onLate: (route: Route) => void): Promise<void> {
  const answer = await fetch(gateway.url + PATH, { headers: { accept: 'text/html' } });
  const first = `${answer.headers.get('link')} ${await answer.text()}`;
  await page.route('**/_app/immutable/**', (route) => {
    const { pathname } = new URL(route.request().url());
    return /\.(js|css)$/.test(pathname) && !first.includes(pathname) ? onLate(route) : route.continue();
  });
  await page.reload();
  await page.locator('tr.request').first().waitFor();
}

/** The pointer over the button whose menu is open, or will be. */
const pointerOfOpen = (page: Page) =>
  page.evaluate(`getComputedStyle(document.querySelector('button[aria-expanded=true]')).cursor`);

journeys('late parts', () => {
  test('opens a menu at the first press, with the focus in it, while its file is still on its way', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await (await gateway.ask(validRequest)).text();
    const page = await visit({ path: PATH });
    const held: Route[] = [];
    let isHeld = true;
    await reload(page, gateway, (route) => void (isHeld ? held.push(route) : route.continue()));
    const button = page.getByRole('button', { name: 'Status', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => held.length).toBeGreaterThan(0);
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    expect(await pointerOfOpen(page)).toBe('progress');
    isHeld = false;
    for (const route of held) await route.continue();
    const menu = page.getByRole('dialog', { name: 'Status' });
    await menu.waitFor();
    await menu.locator(':focus').waitFor();
    expect(await pointerOfOpen(page)).toBe('pointer');
    await page.keyboard.press('Space');
    await page.waitForURL(/status=200/);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await page.locator('button:focus').getByText('Status').waitFor();
    expect(await button.count()).toBe(0);
    const changed = page.getByRole('button', { name: /^Status/ });
    expect(await changed.getAttribute('aria-expanded')).toBe('false');
    await changed.click();
    await menu.waitFor();
    await changed.click();
    await menu.waitFor({ state: 'detached' });
  });

  test('says when a part cannot be loaded, and tries again at the next press', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await (await gateway.ask(validRequest)).text();
    const page = await visit({ path: PATH });
    await reload(page, gateway, (route) => void route.abort());
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('alert').getByText('Couldn’t load this part of the page').waitFor();
    expect(await page.getByRole('button', { name: 'Views' }).getAttribute('aria-expanded')).toBe('false');
    await page.unroute('**/_app/immutable/**');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('dialog', { name: 'Views' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  });

  test('the theme is chosen with the arrow keys', async () => {
    const { visit } = await startJourney({ accounts: 1 });
    const page = await visit({ path: '/' });
    const theme = page.getByRole('complementary').getByRole('radiogroup', { name: 'Theme' });
    await theme.getByRole('radio', { name: 'System' }).focus();
    await page.keyboard.press('ArrowLeft');
    expect(await theme.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
    await page.locator('html[data-theme=dark]').waitFor();
  });
});
