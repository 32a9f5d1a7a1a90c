import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { validRequest } from '../support/gateway.ts';
import { journeys, startJourney } from './support/journey.ts';

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

journeys('keyboard', () => {
  test('works without a mouse and never loses the focus', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await gateway.set({ api_key_auth_enabled: true });
    const page = await visit({ path: '/', reducedMotion: 'no-preference' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = () => page.locator(':focus').first();
    /** Presses Tab until the control with this name has the focus. */
    const tabTo = async (name: string | RegExp) => {
      for (let step = 0; step < 60; step++) {
        await press('Tab');
        const label = await focused().evaluate(nameOf);
        if (typeof name === 'string' ? label === name : name.test(label)) return;
      }
      throw new Error(`Tab does not lead to ${name}`);
    };

    await press('Control+k');
    await page.getByPlaceholder('Search pages, accounts and keys …').waitFor();
    await page.keyboard.type('create an api');
    await page.getByRole('option', { name: 'Create an API key' }).waitFor();
    await press('Enter');
    await page.getByRole('dialog', { name: 'Create an API key' }).waitFor();
    await expect.poll(() => focused().evaluate(nameOf)).toBe('Name');
    await page.keyboard.type('keyboard');
    await tabTo('Add limit');
    await press('Enter');
    await expect.poll(() => focused().evaluate(nameOf)).toBe('At most');
    await page.keyboard.type('500');
    await tabTo('Of: total tokens');
    await press('Enter');
    await page.locator('[role=option][data-highlighted]').getByText('total tokens').waitFor();
    await press('ArrowDown', 'Enter');
    await page.getByRole('combobox', { name: 'Of: input tokens' }).waitFor();
    await tabTo('Create key');
    await press('Enter');
    await page.getByRole('dialog', { name: 'The key for keyboard' }).waitFor();
    const key = (await page.getByLabel('API key', { exact: true }).textContent()) ?? '';
    await tabTo('Done, I copied it');
    await press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    const response = await gateway.ask(validRequest, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    await response.text();

    await tabTo('Actions for keyboard');
    await press('Enter');
    await page.getByRole('menu').waitFor();
    await press('ArrowDown', 'ArrowDown', 'Enter');
    await rowOf(page, 'keyboard').getByText('Inactive').waitFor();
    await expect.poll(() => focused().evaluate(nameOf)).toBe('Actions for keyboard');

    await press('Enter');
    await page.getByRole('menu').waitFor();
    await press('End', 'Enter');
    await page.getByRole('dialog', { name: 'Delete keyboard?' }).waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(gateway.events('ApiKeyDeleted')).toHaveLength(0);
  });

  test('the palette pauses an account and opens a request', async () => {
    const { gateway, visit } = await startJourney({ accounts: 2 });
    await (await gateway.ask(validRequest)).text();
    const [request] = (await gateway.api('GET', '/api/request-logs?limit=1')).body.requests;
    const page = await visit({ path: '/' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search pages, accounts and keys …').waitFor();
    await page.keyboard.type('pause account-2');
    await page.getByRole('option', { name: 'Pause account-2@example.com' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('account-2@example.com paused').waitFor();
    expect(gateway.events('AccountPaused').map(({ data }) => data.accountId)).toEqual([gateway.pool[1]?.id]);
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search pages, accounts and keys …').waitFor();
    await page.keyboard.type(request.request_id);
    const goToRequest = page.getByRole('option', { name: `Go to request ${request.request_id}` });
    await goToRequest.waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('settings');
    await page.getByRole('option', { name: 'Settings' }).waitFor();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['Settings']);
    await page.keyboard.press('Control+a');
    await page.keyboard.type(request.request_id);
    await goToRequest.waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText(request.request_id).first().waitFor();
  });

  test('/ searches the list of the page, and pages where there is no list', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await (await gateway.ask(validRequest)).text();
    const page = await visit({ path: '/request-logs' });
    await page.locator('tr.request').first().waitFor();
    await page.keyboard.press('/');
    const search = page.getByLabel('Search request IDs and error messages');
    await expect.poll(() => search.evaluate(hasFocus)).toBe(true);
    await page.keyboard.type('a/b');
    await page.waitForURL(/search=a%2Fb/);

    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await page.keyboard.press('/');
    await page.getByPlaceholder('Search pages, accounts and keys …').waitFor();
    await page.keyboard.type('new key');
    await page.getByRole('option', { name: 'Create an API key' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create an API key' }).waitFor();
    // Not behind a dialog.
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('/');
    expect(await page.getByPlaceholder('Search pages, accounts and keys …').count()).toBe(0);
  });
});

/** Runs in the page. */
const hasFocus = (element: { ownerDocument: { activeElement: unknown } }) =>
  element.ownerDocument.activeElement === element;

/** Runs in the page: the name of a control. */
const nameOf = (element: {
  getAttribute(name: string): string | null;
  textContent: string | null;
  labels?: ArrayLike<{ textContent: string | null }> | null;
}) =>
  (element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent ?? '')
    .replace(/\s+/g, ' ')
    .trim();
