import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { PASSWORD } from '../support/browser.ts';
import { furnish } from './support/furnished.ts';
import { journeys, startJourney, type Visit } from './support/journey.ts';

// `npm run screenshots`: what stands in docs/screenshots. SHOTS names some of them, e.g. SHOTS=accounts,settings; with SHOTS_FULL they are
// as high as the page.

const folder = process.env.SHOTS_FOLDER ?? fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const wanted = process.env.SHOTS?.split(',');

const PAGES: readonly { name: string; path: string; before?: (page: Page) => Promise<void> }[] = [
  { name: 'overview', path: '/' },
  { name: 'accounts', path: '/accounts' },
  { name: 'account', path: '/accounts', before: (page) => page.getByRole('button', { name: /^ada/ }).click() },
  { name: 'accounts-add', path: '/accounts?add' },
  { name: 'api-keys', path: '/api-keys' },
  { name: 'api-key-new', path: '/api-keys?new' },
  { name: 'request-logs', path: '/request-logs' },
  { name: 'history', path: '/history' },
  { name: 'history-as-of', path: '/history/as-of' },
  { name: 'firewall', path: '/firewall' },
  { name: 'connect', path: '/connect' },
  { name: 'settings', path: '/settings' },
  { name: 'sign-in', path: '/sign-in' },
];

const LOOKS: readonly ({ suffix: string } & Visit)[] = [
  { suffix: 'light', colorScheme: 'light' },
  { suffix: 'dark', colorScheme: 'dark' },
  { suffix: '360', colorScheme: 'light', viewport: { width: 360, height: 740 } },
];

journeys('screenshots', () => {
  test('captures every page in every look', { timeout: 400_000 }, async () => {
    mkdirSync(folder, { recursive: true });
    const { gateway, visit } = await startJourney();
    await furnish(gateway);
    const shoot = async (page: Page, name: string, suffix: string) => {
      await settled(page);
      await page.screenshot({
        path: `${folder}/${name}-${suffix}.png`,
        animations: 'disabled',
        fullPage: process.env.SHOTS_FULL !== undefined,
      });
    };
    const enter = (look: Visit, path: string) =>
      visit({ ...look, path, timezoneId: 'Europe/Berlin', reducedMotion: 'reduce' });
    // It is there only as long as there is no password.
    for (const { suffix, ...look } of LOOKS) {
      if (isWanted('set-up')) await shoot(await enter(look, '/set-up'), 'set-up', suffix);
    }
    await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
    for (const { suffix, ...look } of LOOKS) {
      const page = await enter(look, '/sign-in');
      if (isWanted('sign-in')) await shoot(page, 'sign-in', suffix);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      for (const { name, path, before } of PAGES) {
        if (name === 'sign-in' || !isWanted(name)) continue;
        await page.goto(gateway.url + path);
        await settled(page);
        await before?.(page);
        await shoot(page, name, suffix);
      }
    }
  });
});

const isWanted = (name: string) => wanted === undefined || wanted.includes(name);

/** Nothing is loading any more. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
  while ((await page.locator('.skeleton').count()) > 0) await page.waitForTimeout(50);
  await page.evaluate('document.fonts.ready');
  await page.waitForTimeout(250);
}
