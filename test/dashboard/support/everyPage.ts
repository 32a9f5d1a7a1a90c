import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import type { Gateway } from '../../support/gateway.ts';

/** A page, and what is opened on it. */
export interface Looked {
  readonly path: string;
  readonly open?: (page: Page) => Promise<void>;
}

/** Every page of the router, so that a new one cannot be forgotten. */
export const routes: readonly string[] = globSync('**/+page.svelte', {
  cwd: fileURLToPath(new URL('../../../dashboard/src/routes', import.meta.url)),
})
  .map((file) => `/${file.replace(/\+page\.svelte$/, '')}`.replaceAll(/\/\([^)]*\)/g, '').replace(/(?<=.)\/$/, ''))
  .sort();

/** Pages for those who have not signed in. */
export const ENTRIES = ['/set-up', '/sign-in'];

const button = (name: RegExp | string) => (page: Page) => page.getByRole('button', { name }).first().click();

const chosen = (menu: RegExp | string, item: string) => async (page: Page) => {
  await button(menu)(page);
  await page.getByRole('menuitem', { name: item }).click();
};

/** Every page as somebody finds it who has signed in to a furnished service, and what can be opened on it. */
export function everyPage(gateway: Gateway): readonly Looked[] {
  const requestId = gateway.events('RequestCompleted').at(-1)?.data.requestId;
  const pages: Looked[] = routes.filter((path) => !ENTRIES.includes(path)).map((path) => ({ path }));
  return [
    ...pages,
    { path: '/?period=7d', open: (page) => page.getByText('Data as a table').click() },
    { path: '/', open: (page) => page.keyboard.press('Control+k') },
    { path: '/accounts', open: button(/^ada/) },
    { path: '/accounts', open: button(/^Actions for ada/) },
    { path: '/accounts?search=nobody-is-called-that' },
    { path: '/accounts', open: chosen(/^Actions for ada/, 'Delete …') },
    { path: '/accounts?add' },
    { path: '/accounts?add=device' },
    { path: '/accounts?add=browser' },
    { path: '/accounts?add=import' },
    { path: '/api-keys?new', open: button('Add limit') },
    { path: '/api-keys?new', open: (page) => page.getByLabel('Models').click() },
    { path: '/api-keys?new', open: (page) => page.getByLabel(/^Expires/).click() },
    { path: '/api-keys', open: button('ci-runners') },
    { path: '/api-keys', open: chosen('Actions for ci-runners', 'Regenerate …') },
    { path: `/request-logs?request=${requestId}` },
    { path: '/request-logs?status=200&model=gpt-5.1&last=7d', open: button('Model') },
    { path: '/request-logs?since=2026-01-01T00:00:00Z&search=x', open: button('Custom range') },
    { path: '/request-logs', open: button('Export') },
    { path: '/request-logs?tail=off' },
    { path: '/history', open: (page) => page.locator('button.sentence').first().click() },
    { path: '/history?kind=everything', open: button('Type') },
    { path: '/history?search=nothing-is-like-that' },
    { path: '/history/as-of?show=keys' },
    { path: '/history/as-of?show=firewall&at=5' },
    { path: '/history/as-of?show=settings&at=5' },
    { path: '/firewall', open: (page) => page.getByLabel('Add address').fill('10.0.0.300') },
    { path: '/settings', open: button('Set up') },
    { path: '/settings', open: button('Remove password …') },
    { path: '/nowhere' },
  ];
}
