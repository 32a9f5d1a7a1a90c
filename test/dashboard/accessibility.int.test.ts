import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PASSWORD } from '../support/browser.ts';
import type { Gateway } from '../support/gateway.ts';
import { ENTRIES, everyPage, type Looked, routes } from './support/everyPage.ts';
import { furnish } from './support/furnished.ts';
import { journeys, startJourney } from './support/journey.ts';
import { settled } from './support/settled.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** Everything that axe finds by WCAG 2.2 AA and its best practices. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  // A menu or a list of choices hangs over the page and outside its landmarks, wherever what opened it is.
  const hanging = await page.locator('[role=menu], .popup[role=listbox]').count();
  const rules = { region: { enabled: hanging === 0 } };
  const options = JSON.stringify({ resultTypes: ['violations'], rules });
  const found = (await page.evaluate(`axe.run(document, ${options})`)) as { violations: Violation[] };
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help} at ${target.join(' ')} (${failureSummary})`),
  );
}

async function look(page: Page, gateway: Gateway, { path, open }: Looked): Promise<void> {
  await page.goto(gateway.url + path);
  await settled(page);
  await open?.(page);
  await settled(page);
}

/** Looks at the pages for those who have not signed in, then signs in. */
async function enter(page: Page, gateway: Gateway, examine: (looked: Looked) => Promise<void>): Promise<void> {
  await examine({ path: '/set-up' });
  await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
  await examine({ path: '/sign-in' });
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

journeys('every page', () => {
  test.each(['light', 'dark'] as const)('axe finds nothing in %s', { timeout: 300_000 }, async (colorScheme) => {
    const { gateway, visit } = await startJourney();
    await furnish(gateway);
    const page = await visit({ path: '/set-up', colorScheme, reducedMotion: 'reduce' });
    const found: Record<string, string[]> = {};
    const examine = async (looked: Looked) => {
      await look(page, gateway, looked);
      const wrong = await violations(page);
      if (wrong.length > 0) found[`${looked.path}${looked.open ? ` after ${looked.open}` : ''}`] = wrong;
    };
    await enter(page, gateway, examine);
    for (const looked of everyPage(gateway)) await examine(looked);
    expect(found).toEqual({});
  });

  test('no page is wider than a small phone, or than a wall', { timeout: 300_000 }, async () => {
    const { gateway, visit } = await startJourney();
    await furnish(gateway);
    const page = await visit({ viewport: { width: 360, height: 740 } });
    const wide: string[] = [];
    const measure = async (looked: Looked) => {
      await look(page, gateway, looked);
      const { width } = page.viewportSize() ?? { width: 0 };
      const needed = await page.evaluate('document.documentElement.scrollWidth');
      if (needed !== width) wide.push(`${looked.path}${looked.open ? ' (opened)' : ''} is ${needed} wide on ${width}`);
    };
    await enter(page, gateway, measure);
    for (const looked of everyPage(gateway)) await measure(looked);
    await page.setViewportSize({ width: 3_840, height: 2_160 });
    for (const looked of everyPage(gateway)) await measure(looked);
    expect(wide).toEqual([]);
  });

  test('the list of pages is that of the router', () => {
    expect(routes).toContain('/');
    expect(routes).toEqual(expect.arrayContaining(ENTRIES));
  });
});
