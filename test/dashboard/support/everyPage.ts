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

/** Every page as somebody finds it who has signed in to a furnished service, and what can be opened on it. */
export function everyPage(gateway: Gateway): readonly Looked[] {
  const requestId = gateway.events('RequestCompleted').at(-1)?.data.requestId;
  const pages: Looked[] = routes.filter((path) => !ENTRIES.includes(path)).map((path) => ({ path }));
  return [
    ...pages,
    { path: '/?period=7d', open: (page) => page.getByText('The charts as a table').click() },
    { path: '/', open: (page) => page.keyboard.press('Control+k') },
    { path: '/accounts', open: button(/^ada/) },
    { path: '/accounts', open: button(/^Actions for ada/) },
    { path: '/accounts?add' },
    { path: '/accounts?add=device' },
    { path: '/accounts?add=browser' },
    { path: '/accounts?add=import' },
    { path: '/api-keys?new', open: button('Add a limit') },
    { path: '/api-keys', open: button('ci-runners') },
    { path: `/request-logs?request=${requestId}` },
    { path: '/settings', open: button('Set it up') },
    { path: '/nowhere' },
  ];
}
