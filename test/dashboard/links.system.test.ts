import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { journeys, startJourney } from './support/journey.ts';

const notice = (page: Page) => page.getByRole('alert').filter({ hasText: 'This link leads nowhere.' });

journeys('links', () => {
  test('to what was deleted say so, and lead to its history', async () => {
    const { gateway, visit } = await startJourney();
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'laptop' });
    await gateway.api('DELETE', `/api/api-keys/${key.id}`);
    const page = await visit({ path: `/api-keys?key=${key.id}` });
    await notice(page).getByText(`There is no API key ${key.id}: it may have been deleted.`).waitFor();
    await notice(page).getByRole('link', { name: 'Search the history' }).click();
    await page.getByRole('button', { name: /^API key .*was deleted/ }).waitFor();
  });

  test('to what does not exist say so on every page', async () => {
    const { gateway, visit } = await startJourney();
    const page = await visit({ path: '/connect' });
    const paths = ['/accounts?account=gone', '/accounts?sign-in=gone', '/teams?team=gone', '/teams?owner=gone'];
    const events = ['/history?event=99999', '/history?event=gone'];
    for (const path of [...paths, ...events, '/operators?operator=gone', '/request-logs?request=req_gone']) {
      await page.goto(gateway.url + path);
      await notice(page).waitFor();
      await notice(page).getByRole('button', { name: 'Dismiss' }).click();
      await notice(page).waitFor({ state: 'detached' });
      expect(page.url()).toBe(gateway.url + path.split('?')[0]);
    }
    await page.goto(`${gateway.url}/no-such-page`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('main').innerText()).toMatch(/not found|does not exist|no page/i);
  });
});
