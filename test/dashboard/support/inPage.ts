import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** Result of a script that examines a page. */
export interface Found {
  /** Number of examined elements, so that an empty page cannot pass. */
  readonly examined: number;
  readonly problems: readonly string[];
}

const source = (name: string) => readFileSync(fileURLToPath(new URL(`inPage/${name}.js`, import.meta.url)), 'utf8');
const focus = source('focus');
const figures = source('figures');
const reach = source('reach');

/** Focuses every visible control and checks its outline. */
export async function examineFocus(page: Page): Promise<Found> {
  // Browsers show :focus-visible for scripted focus only after a key press.
  await page.keyboard.press((await page.locator('[role=menu], [role=listbox]').count()) > 0 ? 'ArrowDown' : 'Tab');
  return (await page.evaluate(focus)) as Found;
}

/** Finds what leaves its card, and actions of rows that are out of the window. */
export async function examineReach(page: Page): Promise<Found> {
  return (await page.evaluate(reach)) as Found;
}

/** Finds digits of uneven width, and times without the exact time on hover. */
export async function examineFigures(page: Page): Promise<Found> {
  return (await page.evaluate(figures)) as Found;
}
