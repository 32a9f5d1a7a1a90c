import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { validRequest } from '../support/gateway.ts';
import { journeys, startJourney } from './support/journey.ts';

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const act = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

journeys('API keys', () => {
  test('Escape asks before it discards what was typed', async () => {
    const { visit } = await startJourney();
    const page = await visit({ path: '/api-keys?new' });
    const form = page.getByRole('dialog', { name: 'Create an API key' });
    await form.getByLabel('Name').fill('laptop');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Name').inputValue()).toBe('laptop');
    await form.getByRole('button', { name: 'Close' }).click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await form.waitFor({ state: 'detached' });
    // Nothing typed, nothing to ask.
    await page.getByRole('button', { name: 'Create your first key' }).click();
    await form.waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
  });

  test('restricts a key to a region of the accounts, and shows where its request was processed', async () => {
    const { gateway, visit } = await startJourney();
    await gateway.importAccount(gateway.provider.addAccount({ residency: 'eu' }));
    const page = await visit({ path: '/api-keys' });
    await page.getByRole('button', { name: 'Create your first key' }).click();
    await page.getByLabel('Name').fill('compliance');
    await page.getByLabel('Regions').fill('e');
    await page.getByRole('option', { name: 'eu', exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const key = (await page.getByLabel('API key', { exact: true }).textContent()) ?? '';
    await page.getByRole('button', { name: 'Done, I copied it' }).click();
    await gateway.set({ api_key_auth_enabled: true });
    const response = await gateway.ask(validRequest, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    await response.text();
    await act(page, 'compliance', 'Edit …');
    await page.getByRole('button', { name: 'Remove eu' }).waitFor();
    await page.keyboard.press('Escape');
    await page.goto(`${gateway.url}/request-logs?request=${response.headers.get('x-request-id')}`);
    await page.getByText(', region eu').waitFor();
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('has one. The API key may only be served in eu.').waitFor();
    await page.getByText('Processed in region eu.').waitFor();
  });

  test('shows a key once, enforces its limit and shows the usage live', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await gateway.set({ api_key_auth_enabled: true });
    const page = await visit({ path: '/api-keys' });
    await page.getByRole('button', { name: 'Create your first key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name').fill('laptop');
    await page.getByLabel('Models').fill('gpt-5.1');
    await page.getByRole('option', { name: 'gpt-5.1', exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add limit' }).click();
    await page.getByLabel('At most').fill('ten');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Enter a number such as 2,000,000 or 2m.').waitFor();
    await page.getByLabel('At most').fill('10');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();

    const key = (await page.getByLabel('API key', { exact: true }).textContent()) ?? '';
    expect(key).toMatch(/^sk-svc-[0-9a-f]{48}$/);
    await page.getByRole('tab', { name: 'curl' }).click();
    await page.getByText(`curl -s ${gateway.url}/v1/responses`).waitFor();
    await page.getByRole('button', { name: 'Done, I copied it' }).click();
    expect(await page.content()).not.toContain(key);

    const ask = (model = 'gpt-5.1', bearer = key) =>
      gateway.ask({ ...validRequest, model }, { headers: { authorization: `Bearer ${bearer}` } });
    expect((await ask('gpt-5.5')).status).toBe(403);
    const first = await ask();
    expect(first.status).toBe(200);
    await first.text();
    expect((await ask()).status).toBe(429);
    await rowOf(page, 'laptop').getByText('Limit reached').waitFor();

    await act(page, 'laptop', 'Edit …');
    await page.getByLabel('At most').fill('1m');
    await page.getByLabel('When reached').click();
    await page.getByRole('option', { name: 'stop streams' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'laptop').getByText('Active').waitFor();
    const { body: keys } = await gateway.api('GET', '/api/api-keys');
    expect(keys[0].limits).toMatchObject([{ id: 1, max_value: 1_000_000, on_exceeded: 'stop' }]);
    await rowOf(page, 'laptop').getByText('Active').waitFor();
    expect((await ask()).status).toBe(200);
    await act(page, 'laptop', 'Reset usage …');
    await page.getByRole('button', { name: 'Reset usage' }).click();
    await rowOf(page, 'laptop').getByText('0 of 1M tokens').waitFor();

    await act(page, 'laptop', 'Deactivate');
    await rowOf(page, 'laptop').getByText('Inactive').waitFor();
    expect((await ask()).status).toBe(401);
    await page.getByRole('button', { name: 'Undo' }).click();
    await rowOf(page, 'laptop').getByText('Active', { exact: true }).waitFor();

    await act(page, 'laptop', 'Regenerate …');
    await page.getByRole('button', { name: 'Regenerate key' }).click();
    const next = (await page.getByLabel('API key', { exact: true }).textContent()) ?? '';
    await page.getByRole('button', { name: 'Done, I copied it' }).click();
    expect([(await ask()).status, (await ask('gpt-5.1', next)).status]).toEqual([401, 200]);

    await rowOf(page, 'laptop').getByRole('button', { name: 'laptop', exact: true }).click();
    await page.getByText(/by Built-in administrator at 127\.0\.0\.1/).waitFor();
    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByLabel('Type laptop to confirm').fill('laptop');
    await page.getByRole('button', { name: 'Delete key' }).click();
    await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
    expect((await ask('gpt-5.1', next)).status).toBe(401);
  });

  test('shows the cost of a key over time, and leads to its requests', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'laptop' });
    await gateway.set({ api_key_auth_enabled: true });
    const response = await gateway.ask(validRequest, { headers: { authorization: `Bearer ${key.key}` } });
    await response.text();
    const page = await visit({ path: `/api-keys?key=${key.id}` });
    const panel = page.getByRole('dialog', { name: 'laptop' });
    await panel.getByRole('img', { name: /^Cost, last 7 days: \$[\d.]+\./ }).waitFor();
    await panel.getByRole('link', { name: 'Its requests' }).click();
    await page.getByText('1 request matches').waitFor();
    await page.getByRole('button', { name: 'Remove API key: laptop' }).waitFor();
  });
});
