import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page, ViewportSize } from 'playwright-core';
import { addDemoData } from './demoData.ts';
import { everyPage, type PageState } from './everyPage.ts';
import { examineFigures, examineFocus, examineReach, type Found } from './inPage.ts';
import { startJourney } from './journey.ts';
import { addPeople, setUpAdministrator, signInAsBuiltIn } from './people.ts';
import { settled } from './settled.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** Problems by page. */
type ByPage = Record<string, readonly string[]>;

export interface Findings {
  readonly violations: ByPage;
  readonly unmarked: ByPage;
  readonly wide: ByPage;
  /** Number of examined elements, so that an empty page cannot pass. */
  readonly examined: { controls: number; figures: number };
}

const DESKTOP = { width: 1_280, height: 900 };
const PHONE = { width: 360, height: 740 };
const WALL = { width: 3_840, height: 2_160 };

/**
 * Examines every page of a service with demo data, before and after the sign-in. Loading is the expensive part, so each
 * page is loaded once per theme: in the light theme it starts small and is resized, in the dark theme it stays large.
 */
async function examinePages(colorScheme: 'light' | 'dark'): Promise<Findings> {
  const { gateway, visit } = await startJourney();
  await addDemoData(gateway);
  const page = await visit({ path: '/set-up', colorScheme, viewport: DESKTOP });
  await page.addInitScript({ content: axe });
  const findings = { violations: {} as ByPage, unmarked: {} as ByPage, wide: {} as ByPage };
  const examined = { controls: 0, figures: 0 };

  const examine = async ({ path, open }: PageState) => {
    const name = `${path}${open ? ` after ${open}` : ''}`;
    const resizes = colorScheme === 'light';
    const tooWide: string[] = [];
    const measure = async (size: ViewportSize) => {
      await page.setViewportSize(size);
      const needed = await page.evaluate('document.documentElement.scrollWidth');
      if (needed !== size.width) tooWide.push(`${needed} wide on ${size.width}`);
      const { problems } = await examineReach(page);
      tooWide.push(...problems.map((problem) => `${problem} on ${size.width}`));
    };

    if (resizes) await page.setViewportSize(PHONE);
    await page.goto(gateway.url + path);
    await settled(page);
    await open?.(page);
    await settled(page);
    if (resizes) await measure(PHONE);
    if (resizes) await measure(DESKTOP);
    note(findings.violations, name, await violationsOn(page));
    const figures = await examineFigures(page);
    if (resizes) await measure(WALL);
    // Last, since moving the focus may close menus.
    const controls = await examineFocus(page);
    note(findings.unmarked, name, [...figures.problems, ...controls.problems]);
    note(findings.wide, name, tooWide);
    examined.figures += figures.examined;
    examined.controls += controls.examined;
  };

  await examine({ path: '/set-up' });
  const administrator = await setUpAdministrator(gateway);
  await examine({ path: '/sign-in' });
  const { invitation } = await addPeople(administrator);
  await examine({ path: '/sign-in' });
  const asBuiltIn = (shown: Page) => shown.getByRole('button', { name: 'Sign in as built-in administrator' }).click();
  await examine({ path: '/sign-in', open: asBuiltIn });
  await examine({ path: invitation });
  await examine({ path: '/invitation#used' });
  await page.goto(`${gateway.url}/sign-in`);
  await signInAsBuiltIn(page);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  for (const state of everyPage(gateway)) await examine(state);
  return { ...findings, examined };
}

const found = new Map<string, Promise<Findings>>();

/** Findings on every page in a theme; if there are none, computed once, by the first test that needs them. */
export function findingsIn(colorScheme: 'light' | 'dark'): Promise<Findings> {
  const pages = found.get(colorScheme) ?? examinePages(colorScheme);
  found.set(colorScheme, pages);
  // A failed run, or one with a finding, is repeated by the next test, so that a retry examines the pages again.
  pages.then(
    ({ violations, unmarked, wide }) => {
      if (Object.keys({ ...violations, ...unmarked, ...wide }).length > 0) found.delete(colorScheme);
    },
    () => found.delete(colorScheme),
  );
  return pages;
}

function note(byPage: ByPage, name: string, problems: Found['problems']): void {
  if (problems.length > 0) byPage[name] = problems;
}

/** Violations of WCAG 2.2 AA and of axe's best practices. */
async function violationsOn(page: Page): Promise<string[]> {
  // Open menus and list boxes are rendered outside the landmarks.
  const popups = await page.locator('[role=menu], .popup[role=listbox]').count();
  const rules = { region: { enabled: popups === 0 } };
  const options = JSON.stringify({ resultTypes: ['violations'], rules });
  const found = (await page.evaluate(`axe.run(document, ${options})`)) as { violations: Violation[] };
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help} at ${target.join(' ')} (${failureSummary})`),
  );
}
