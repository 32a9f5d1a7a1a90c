import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** What a script that examines a page found. */
export interface Found {
  /** How many things it looked at, so that nobody takes an empty page for a good one. */
  readonly looked: number;
  readonly wrong: readonly string[];
}

const source = (name: string) => readFileSync(fileURLToPath(new URL(`inPage/${name}.js`, import.meta.url)), 'utf8');
const focus = source('focus');
const figures = source('figures');

/** Gives the focus to every control that can be seen, and looks for an outline that stands out. */
export async function examineFocus(page: Page): Promise<Found> {
  // After a key, browsers show the focus wherever a script puts it.
  await page.keyboard.press((await page.locator('[role=menu], [role=listbox]').count()) > 0 ? 'ArrowDown' : 'Tab');
  return (await page.evaluate(focus)) as Found;
}

/** Looks for figures of uneven width, and for times that do not say when exactly. */
export async function examineFigures(page: Page): Promise<Found> {
  return (await page.evaluate(figures)) as Found;
}
