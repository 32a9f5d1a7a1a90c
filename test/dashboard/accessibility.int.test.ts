import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PASSWORD } from '../support/browser.ts';
import { furnish } from './support/furnished.ts';
import { journeys, startJourney } from './support/journey.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** Everything that axe finds by WCAG 2.2 AA and its best practices. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: Violation[];
  };
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help} at ${target.join(' ')} (${failureSummary})`),
  );
}

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
  while ((await page.locator('.skeleton').count()) > 0) await page.waitForTimeout(50);
}

/** What opens something on a page. */
const OPENED: readonly (readonly [string, ((page: Page) => Promise<void>)?])[] = [
  ['/'],
  ['/accounts'],
  ['/accounts', (page) => page.getByRole('button', { name: /^ada/ }).click()],
  ['/accounts', (page) => page.getByRole('button', { name: /^Actions for ada/ }).click()],
  ['/accounts?add'],
  ['/accounts?add=device'],
  ['/accounts?add=browser'],
  ['/accounts?add=import'],
  ['/api-keys'],
  ['/api-keys?new', (page) => page.getByRole('button', { name: 'Add a limit' }).click()],
  ['/api-keys', (page) => page.getByRole('button', { name: 'ci-runners', exact: true }).click()],
  ['/request-logs'],
  ['/history'],
  ['/firewall'],
  ['/connect'],
  ['/settings'],
  ['/settings', (page) => page.getByRole('button', { name: 'Set it up' }).click()],
  ['/', (page) => page.keyboard.press('Control+k')],
  ['/nowhere'],
];

journeys('accessibility', () => {
  test.each(['light', 'dark'] as const)(
    'axe finds nothing on any page, %s',
    { timeout: 240_000 },
    async (colorScheme) => {
      const { gateway, visit } = await startJourney();
      await furnish(gateway);
      await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
      const page = await visit({ path: '/sign-in', colorScheme, reducedMotion: 'reduce' });
      await settled(page);
      const found: Record<string, string[]> = { '/sign-in': await violations(page) };
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      for (const [path, open] of OPENED) {
        await page.goto(gateway.url + path);
        await settled(page);
        if (open) {
          await open(page);
          await page.getByRole('dialog').or(page.getByRole('menu')).first().waitFor();
          await settled(page);
        }
        const wrong = await violations(page);
        if (wrong.length > 0) found[`${path}${open ? ' (opened)' : ''}`] = wrong;
      }
      expect(Object.fromEntries(Object.entries(found).filter(([, wrong]) => wrong.length > 0))).toEqual({});
    },
  );

  test('nothing is wider than a small phone', { timeout: 120_000 }, async () => {
    const { gateway, visit } = await startJourney();
    await furnish(gateway);
    const page = await visit({ viewport: { width: 360, height: 740 } });
    for (const [path, open] of OPENED) {
      await page.goto(gateway.url + path);
      await settled(page);
      await open?.(page).catch(() => {});
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect([path, width]).toEqual([path, 360]);
    }
  });
});
