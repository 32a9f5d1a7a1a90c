import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import type { Gateway } from '../../support/gateway.ts';

/** A page, and what to open on it. */
export interface PageState {
  readonly path: string;
  readonly open?: (page: Page) => Promise<void>;
}

/** Every page of the router, so that new pages are always covered. */
export const routes: readonly string[] = globSync('**/+page.svelte', {
  cwd: fileURLToPath(new URL('../../../dashboard/src/routes', import.meta.url)),
})
  .map((file) => `/${file.replace(/\+page\.svelte$/, '')}`.replaceAll(/\/\([^)]*\)/g, '').replace(/(?<=.)\/$/, ''))
  .sort();

/** Pages before the sign-in. */
export const ENTRY_PAGES = ['/invitation', '/set-up', '/sign-in'];

const button = (name: RegExp | string) => (page: Page) => page.getByRole('button', { name }).first().click();

const menuItem = (menu: RegExp | string, item: string) => async (page: Page) => {
  await button(menu)(page);
  await page.getByRole('menuitem', { name: item }).click();
};

/** Every page of a service with demo data after the sign-in, with its dialogs, menus and panels. */
export function everyPage(gateway: Gateway): readonly PageState[] {
  const requestId = gateway.events('RequestCompleted').at(-1)?.data.requestId;
  const pages: PageState[] = routes.filter((path) => !ENTRY_PAGES.includes(path)).map((path) => ({ path }));
  return [
    ...pages,
    { path: '/?period=7d', open: (page) => page.getByText('Data as a table').click() },
    { path: '/', open: (page) => page.keyboard.press('Control+k') },
    { path: '/usage?by=account&show=tokens', open: (page) => page.getByText('Chart as a table').click() },
    {
      path: '/usage?by=model&last=24h',
      open: (page) => page.getByRole('combobox', { name: 'Group by: Model' }).click(),
    },
    { path: '/usage?model=gpt-5.1&owner=&since=2026-01-01T00:00:00Z', open: button('Custom range') },
    { path: '/usage?model=no-such-model' },
    { path: '/accounts', open: button(/^ada/) },
    {
      path: '/accounts',
      open: async (page) => {
        await button(/^ada/)(page);
        await button('Set proxy')(page);
      },
    },
    { path: '/accounts', open: button(/^Actions for ada/) },
    { path: '/accounts?search=no-such-account' },
    { path: '/accounts', open: menuItem(/^Actions for ada/, 'Delete …') },
    { path: '/accounts?add' },
    { path: '/accounts?add=device' },
    { path: '/accounts?add=browser' },
    { path: '/accounts?add=import' },
    { path: '/api-keys?new', open: button('Add limit') },
    { path: '/api-keys?new', open: (page) => page.getByLabel('Models').click() },
    { path: '/api-keys?new', open: (page) => page.getByLabel(/^Expires/).click() },
    { path: '/api-keys', open: button('ci-runners') },
    { path: '/teams?new', open: button('Add limit') },
    { path: '/teams', open: button('platform') },
    { path: '/api-keys', open: button('ada’s laptop') },
    { path: '/teams?new=owner' },
    { path: '/api-keys', open: menuItem('Actions for ci-runners', 'Regenerate …') },
    { path: `/request-logs?request=${requestId}` },
    { path: `/request-logs?request=${requestId}`, open: button('Explain') },
    { path: '/request-logs?status=200&model=gpt-5.1&last=7d', open: button('Model') },
    { path: '/request-logs?since=2026-01-01T00:00:00Z&search=x', open: button('Custom range') },
    { path: '/request-logs', open: button('Export') },
    { path: '/request-logs?columns=key,owner,client,firstByte', open: button('Columns') },
    { path: '/request-logs?tail=off' },
    { path: '/history', open: (page) => page.locator('button.sentence').first().click() },
    { path: '/history?kind=everything', open: button('Type') },
    { path: '/history?search=no-such-event' },
    { path: '/history/as-of?show=keys' },
    { path: '/history/as-of?show=firewall&at=5' },
    { path: '/history/as-of?show=settings&at=5' },
    { path: '/alerts', open: button('Add webhook') },
    { path: '/replay', open: button('Without accounts') },
    {
      path: '/replay',
      open: async (page) => {
        await page.getByRole('combobox', { name: /^Routing strategy/ }).click();
        await page.getByRole('option', { name: 'Round robin' }).click();
        await page.getByRole('button', { name: 'Replay', exact: true }).click();
        await page.getByRole('heading', { name: 'What would have happened' }).waitFor();
      },
    },
    { path: '/integrity', open: button('Place hold …') },
    { path: '/firewall', open: (page) => page.getByLabel('Add address').fill('10.0.0.300') },
    { path: '/operators?invite' },
    { path: '/operators', open: button('Grace') },
    { path: '/operators', open: button('Actions for Grace') },
    { path: '/operators', open: menuItem('Actions for Grace', 'Forget …') },
    { path: '/operators', open: menuItem('Actions for Barbara', 'New invitation link') },
    { path: '/profile', open: button('Create token …') },
    { path: '/profile', open: button('Set up') },
    { path: '/profile', open: button('Remove password …') },
    { path: '/nowhere' },
  ];
}
