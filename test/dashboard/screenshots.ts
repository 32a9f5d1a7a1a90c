import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { test } from 'vitest';
import { addDemoData } from './support/demoData.ts';
import { journeys, startJourney, type Visit } from './support/journey.ts';
import { addPeople, setUpAdministrator, signInAs } from './support/people.ts';
import { settled as loaded } from './support/settled.ts';

// `npm run screenshots` writes docs/screenshots. SHOTS selects pages, e.g. SHOTS=accounts,settings; SHOTS_FULL captures
// the full height of each page, SHOTS_WIDTH=2560 both themes at that width in place of the usual variants.

const folder = process.env.SHOTS_FOLDER ?? fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const wanted = process.env.SHOTS?.split(',');

const PAGES: readonly { name: string; path: string; before?: (page: Page) => Promise<void> }[] = [
  { name: 'overview', path: '/' },
  { name: 'usage', path: '/usage' },
  { name: 'accounts', path: '/accounts' },
  { name: 'account', path: '/accounts', before: (page) => page.getByRole('button', { name: /^ada/ }).click() },
  { name: 'accounts-add', path: '/accounts?add' },
  { name: 'api-keys', path: '/api-keys' },
  { name: 'api-key-new', path: '/api-keys?new' },
  { name: 'request-logs', path: '/request-logs' },
  {
    name: 'request',
    path: '/request-logs',
    async before(page) {
      await page.getByRole('row').nth(1).click();
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByRole('heading', { name: /^Attempt 1: / }).waitFor();
    },
  },
  { name: 'history', path: '/history' },
  { name: 'history-as-of', path: '/history/as-of' },
  {
    name: 'replay',
    path: '/replay',
    async before(page) {
      await page.getByRole('combobox', { name: /^Routing strategy/ }).click();
      await page.getByRole('option', { name: 'Round robin' }).click();
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await page.getByText('Replay is running').waitFor();
      await page.getByText('Replay is running').waitFor({ state: 'detached', timeout: 60_000 });
    },
  },
  { name: 'integrity', path: '/integrity' },
  { name: 'alerts', path: '/alerts' },
  { name: 'firewall', path: '/firewall' },
  { name: 'connect', path: '/connect' },
  { name: 'operators', path: '/operators' },
  { name: 'operator-invite', path: '/operators?invite' },
  { name: 'profile', path: '/profile' },
  { name: 'settings', path: '/settings' },
  { name: 'sign-in', path: '/sign-in' },
];

const width = Number(process.env.SHOTS_WIDTH ?? 0);
const viewport = { width, height: Math.round((width * 9) / 16) };
const VARIANTS: readonly ({ suffix: string } & Visit)[] =
  width > 0
    ? [
        { suffix: `${width}-light`, colorScheme: 'light', viewport },
        { suffix: `${width}-dark`, colorScheme: 'dark', viewport },
      ]
    : [
        { suffix: 'light', colorScheme: 'light' },
        { suffix: 'dark', colorScheme: 'dark' },
        { suffix: '360', colorScheme: 'light', viewport: { width: 360, height: 740 } },
      ];

journeys('screenshots', () => {
  test('captures every page in every variant', { timeout: 400_000 }, async () => {
    mkdirSync(folder, { recursive: true });
    const { gateway, visit } = await startJourney();
    await addDemoData(gateway);
    const shoot = async (page: Page, name: string, suffix: string) => {
      await settled(page);
      await page.screenshot({
        path: `${folder}/${name}-${suffix}.png`,
        animations: 'disabled',
        fullPage: process.env.SHOTS_FULL !== undefined,
      });
    };
    const enter = (variant: Visit, path: string) =>
      visit({ ...variant, path, timezoneId: 'Europe/Berlin', reducedMotion: 'reduce' });
    // The page is only available while no password is set.
    for (const { suffix, ...variant } of VARIANTS) {
      if (isWanted('set-up')) await shoot(await enter(variant, '/set-up'), 'set-up', suffix);
    }
    const administrator = await setUpAdministrator(gateway);
    const { invitation } = await addPeople(administrator);
    for (const { suffix, ...variant } of VARIANTS) {
      const page = await enter(variant, '/sign-in');
      if (isWanted('sign-in')) await shoot(page, 'sign-in', suffix);
      if (isWanted('invitation')) await shoot(await enter(variant, invitation), 'invitation', suffix);
      await signInAs(page, 'Ada');
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

/** Popups move into their place. */
async function settled(page: Page): Promise<void> {
  await loaded(page);
  await page.waitForTimeout(250);
}
