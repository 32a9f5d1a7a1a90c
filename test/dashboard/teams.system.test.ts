import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { validRequest } from '../support/gateway.ts';
import { journeys, startJourney } from './support/journey.ts';

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const act = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
const choose = async (page: Page, label: RegExp, option: string) => {
  await page.getByLabel(label).click();
  await page.getByRole('option', { name: option }).click();
};

journeys('Teams', () => {
  test('shows whose API keys are in a team', { timeout: 180_000 }, async () => {
    const { gateway, visit } = await startJourney();
    const { body: team } = await gateway.api('POST', '/api/teams', { name: 'search' });
    await gateway.api('POST', '/api/teams', { name: 'ads' });
    await gateway.api('POST', '/api/api-keys', { name: 'laptop', owner: 'Ada L', team: team.id });
    const { body: off } = await gateway.api('POST', '/api/api-keys', { name: 'ci', team: team.id });
    await gateway.api('PATCH', `/api/api-keys/${off.id}`, { is_active: false });
    const page = await visit({ path: '/teams' });
    await act(page, 'ads', 'Members');
    await page.getByRole('dialog').getByText('No members yet').waitFor();
    await page.keyboard.press('Escape');
    await act(page, 'search', 'Members');
    const panel = page.getByRole('dialog', { name: 'Members of search' });
    await panel.getByRole('heading', { name: 'Ada L' }).waitFor();
    await panel.getByRole('heading', { name: 'Keys without an owner' }).waitFor();
    await panel.getByText('inactive').waitFor();
    // Live: a key that joins is shown at once.
    await gateway.api('POST', '/api/api-keys', { name: 'desktop', owner: 'Ada L', team: team.id });
    await panel.getByText('2 keys').waitFor();
    await panel.getByRole('link', { name: 'laptop' }).click();
    await page.getByRole('dialog', { name: 'laptop' }).waitFor();
  });

  test('limits a team and an owner, moves keys into them, and shows all levels live', {
    timeout: 180_000,
  }, async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await gateway.set({ api_key_auth_enabled: true });
    const page = await visit({ path: '/teams' });
    await page.getByRole('button', { name: 'Create your first team' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create team' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name').fill('search');
    await page.getByRole('button', { name: 'Add limit' }).click();
    await page.getByLabel('At most').fill('1m');
    await page.getByRole('dialog').getByRole('button', { name: 'Create team' }).click();
    await rowOf(page, 'search').getByText('no keys').waitFor();
    await rowOf(page, 'search').getByText('0 of 1M tokens').waitFor();

    await page.getByRole('button', { name: 'Limit an owner' }).click();
    await page.getByRole('textbox', { name: 'Owner' }).fill('Ada L');
    await page.getByRole('button', { name: 'Add limit' }).click();
    await page.getByLabel('At most').fill('10');
    await page.getByRole('button', { name: 'Save limits' }).click();
    await rowOf(page, 'Ada L').getByText('0 of 10 tokens').waitFor();

    await page.goto(`${gateway.url}/api-keys?new`);
    await page.getByLabel('Name').fill('laptop');
    await page.getByLabel('Owner').fill('Ada L');
    await choose(page, /^Team/, 'search');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const key = (await page.getByLabel('API key', { exact: true }).textContent()) ?? '';
    await page.getByRole('button', { name: 'Done, I copied it' }).click();
    await rowOf(page, 'laptop').getByText('Ada L · search').waitFor();

    const ask = () => gateway.ask(validRequest, { headers: { authorization: `Bearer ${key}` } });
    const served = await ask();
    expect(served.status).toBe(200);
    await served.text();
    const refused = await ask();
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('Owner total_tokens daily')]);

    await rowOf(page, 'laptop').getByRole('button', { name: 'laptop', exact: true }).click();
    const panel = page.getByRole('dialog');
    await panel.getByText('No limits of its own.').waitFor();
    await panel
      .getByRole('region', { name: 'Limits of Owner Ada L' })
      .getByText('10 tokens a day', { exact: true })
      .waitFor();
    await panel
      .getByRole('region', { name: 'Limits of Team search' })
      .getByText('1M tokens a day', { exact: true })
      .waitFor();
    await panel.getByRole('link', { name: 'search' }).click();
    // The link opens the team's form.
    await page.getByRole('dialog', { name: 'Edit search' }).getByRole('button', { name: 'Cancel' }).click();

    await act(page, 'Ada L', 'Edit …');
    await page.getByLabel('At most').fill('2m');
    await page.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'Ada L').getByText('of 2M tokens').waitFor();
    expect((await ask()).status).toBe(200);

    await act(page, 'search', 'Delete …');
    await page.getByRole('button', { name: 'Delete team' }).click();
    await page.getByText('Team "search" has 1 API keys.').waitFor();
    await act(page, 'search', 'Reset usage …');
    await page.getByRole('button', { name: 'Reset usage' }).click();
    await rowOf(page, 'search').getByText('0 of 1M tokens').waitFor();

    await rowOf(page, 'search').getByRole('link', { name: '1 key' }).click();
    await act(page, 'laptop', 'Edit …');
    await choose(page, /^Team/, 'No team');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('laptop updated').waitFor();
    await page.goto(`${gateway.url}/teams`);
    await act(page, 'search', 'Delete …');
    await page.getByRole('button', { name: 'Delete team' }).click();
    await page.getByRole('heading', { name: 'No teams yet' }).waitFor();

    // A request's explanation has the limits of all its levels, which count their rules each for themselves.
    const request = gateway.events('RequestRefused').at(-1)?.data.requestId;
    await page.goto(`${gateway.url}/request-logs?request=${request}`);
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('Refused: a limit of the owner was used up.').waitFor();
    await page.getByText('Owner Ada L: 10 tokens a day').waitFor();
    await page.getByText('Team search: 1M tokens a day').waitFor();

    await page.goto(`${gateway.url}/history?subject=owner-Ada%2520L`);
    await page
      .getByText(/owner "Ada L" has/i)
      .first()
      .waitFor();
  });
});
