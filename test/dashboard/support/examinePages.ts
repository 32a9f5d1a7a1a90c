import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page, ViewportSize } from 'playwright-core';
import { PASSWORD } from '../../support/browser.ts';
import { everyPage, type Looked } from './everyPage.ts';
import { furnish } from './furnished.ts';
import { examineFigures, examineFocus, type Found } from './inPage.ts';
import { startJourney } from './journey.ts';
import { settled } from './settled.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** What was found wrong, by page. */
type ByPage = Record<string, readonly string[]>;

export interface Findings {
  readonly violations: ByPage;
  readonly unclear: ByPage;
  readonly wide: ByPage;
  /** How many things were looked at, so that nobody takes empty pages for good ones. */
  readonly looked: { controls: number; figures: number };
}

const DESK = { width: 1_280, height: 900 };
const PHONE = { width: 360, height: 740 };
const WALL = { width: 3_840, height: 2_160 };

/**
 * Looks at every page of a furnished service, for those who have signed in and those who have not. Loading is what costs,
 * so each page is loaded once in each theme: small in the light one, and it grows while it is looked at; large in the dark.
 */
async function examinePages(colorScheme: 'light' | 'dark'): Promise<Findings> {
  const { gateway, visit } = await startJourney();
  await furnish(gateway);
  const page = await visit({ path: '/set-up', colorScheme, viewport: DESK });
  await page.addInitScript({ content: axe });
  const findings = { violations: {} as ByPage, unclear: {} as ByPage, wide: {} as ByPage };
  const looked = { controls: 0, figures: 0 };

  const examine = async ({ path, open }: Looked) => {
    const name = `${path}${open ? ` after ${open}` : ''}`;
    const grows = colorScheme === 'light';
    const tooWide: string[] = [];
    const measure = async (size: ViewportSize) => {
      await page.setViewportSize(size);
      const needed = await page.evaluate('document.documentElement.scrollWidth');
      if (needed !== size.width) tooWide.push(`${needed} wide on ${size.width}`);
    };

    if (grows) await page.setViewportSize(PHONE);
    await page.goto(gateway.url + path);
    await settled(page);
    await open?.(page);
    await settled(page);
    if (grows) await measure(PHONE);
    if (grows) await measure(DESK);
    note(findings.violations, name, await violationsOn(page));
    const figures = await examineFigures(page);
    if (grows) await measure(WALL);
    // Last: the focus goes round, and may close what is open.
    const controls = await examineFocus(page);
    note(findings.unclear, name, [...figures.wrong, ...controls.wrong]);
    note(findings.wide, name, tooWide);
    looked.figures += figures.looked;
    looked.controls += controls.looked;
  };

  await examine({ path: '/set-up' });
  await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
  await examine({ path: '/sign-in' });
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  for (const what of everyPage(gateway)) await examine(what);
  return { ...findings, looked };
}

const found = new Map<string, Promise<Findings>>();

/** What is found on every page in a theme; looked for once, by the test that asks first. */
export function pagesIn(colorScheme: 'light' | 'dark'): Promise<Findings> {
  const pages = found.get(colorScheme) ?? examinePages(colorScheme);
  found.set(colorScheme, pages);
  // A second attempt looks again.
  pages.catch(() => found.delete(colorScheme));
  return pages;
}

function note(byPage: ByPage, name: string, wrong: Found['wrong']): void {
  if (wrong.length > 0) byPage[name] = wrong;
}

/** Everything that axe finds by WCAG 2.2 AA and its best practices. */
async function violationsOn(page: Page): Promise<string[]> {
  // A menu or a list of choices hangs over the page and outside its landmarks, wherever what opened it is.
  const hanging = await page.locator('[role=menu], .popup[role=listbox]').count();
  const rules = { region: { enabled: hanging === 0 } };
  const options = JSON.stringify({ resultTypes: ['violations'], rules });
  const found = (await page.evaluate(`axe.run(document, ${options})`)) as { violations: Violation[] };
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help} at ${target.join(' ')} (${failureSummary})`),
  );
}
