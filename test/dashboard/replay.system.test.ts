import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { validRequest } from '../support/gateway.ts';
import { journeys, startJourney } from './support/journey.ts';

/** A replay has the lowest priority: on a busy machine it waits for everything else. */
const LOW_PRIORITY = { timeout: 60_000 };

journeys('replay', () => {
  test('replays a period, simulates another pool and other limits, and offers the figures', {
    timeout: 180_000,
  }, async () => {
    const { gateway, visit } = await startJourney({ accounts: 3 });
    for (let index = 0; index < 8; index += 1) await (await gateway.ask(validRequest)).text();
    const page = await visit({ path: '/' });
    await page.getByRole('link', { name: 'Replay' }).click();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    const decisions = page.getByRole('region', { name: 'Recorded decisions' });
    await decisions.getByText('All repeat').waitFor(LOW_PRIORITY);
    await decisions.getByText(/8 requests, 0 of them refused by svc/).waitFor();

    const { data } = gateway.events('RequestCompleted').at(-1) ?? {};
    const names = (await gateway.api('GET', '/api/accounts')).body.accounts as { account_id: string; email: string }[];
    const email = names.find(({ account_id }) => account_id === data?.accountId)?.email ?? '';
    await page.getByRole('button', { name: 'Without accounts' }).click();
    await page.getByRole('dialog').getByText(email, { exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Plus an account' }).click();
    await page.getByRole('dialog').getByText('With plan pro').click();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: /^Routing strategy/ }).click();
    await page.getByRole('option', { name: 'Round robin' }).click();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();

    const result = page.getByRole('region', { name: 'What would have happened' });
    await result.getByText(/^8 requests decided again: .* end another way/).waitFor(LOW_PRIORITY);
    await result.getByRole('img', { name: /^Requests, simulated: 8\./ }).waitFor();
    const bars = result.getByRole('figure').filter({ hasText: 'Cost, recorded' }).locator('.u-over');
    await bars.click({ modifiers: ['Shift'] });
    await page.waitForURL(/\/replay\?.*at=/);
    await page
      .getByRole('region', { name: 'Earlier moment' })
      .getByText(/after event \d+/)
      .waitFor();
    await page.goBack();
    await page.getByRole('region', { name: 'Earlier moment' }).waitFor({ state: 'detached' });
    const accounts = page.getByRole('region', { name: 'Accounts' });
    await accounts
      .getByRole('row', { name: new RegExp(`^${email.replaceAll('.', '\\.')} \\(plus, removed\\) 8 0`) })
      .waitFor();
    await accounts.getByRole('row', { name: /^Added account 1 \(pro, added\) 0 [1-8] / }).waitFor();
    await page.getByText(/What the provider would have answered on an account/).waitFor();

    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      decisions.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    const lines = readFileSync(await csv.path(), 'utf8').split('\r\n');
    expect(lines[0]).toBe('\u{feff}part,name,detail,measure,recorded,simulated');
    expect(lines).toContain(`account,${data?.accountId},plus,requests,8,0`);
    const [json] = await Promise.all([
      page.waitForEvent('download'),
      decisions.getByRole('button', { name: 'Download JSON' }).click(),
    ]);
    const report = JSON.parse(readFileSync(await json.path(), 'utf8'));
    expect(report.what_if.changes).toMatchObject({
      routing_strategy: 'round_robin',
      without_accounts: [data?.accountId],
    });

    const different = page.getByRole('region', { name: 'Requests that end another way' });
    await different.getByRole('link').first().click();
    await page.waitForURL(/\/request-logs\?request=/);
    await page.getByRole('dialog', { name: 'gpt-5.1' }).waitFor();
  });

  test('cancels a replay, and names what is wrong with the form', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await (await gateway.ask(validRequest)).text();
    const page = await visit({ path: '/replay' });
    await page.getByRole('combobox', { name: /^Limits/ }).click();
    await page.getByRole('option', { name: 'Of every key' }).click();
    await page.getByText('Without any limit.').waitFor();
    await page.getByRole('button', { name: 'Add limit' }).click();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('Enter a number such as 2,000,000 or 2m.').waitFor();
    await page.getByLabel('At most').fill('2m');
    // The replay of a small log ends at once: the page shows whatever job the node runs.
    await page.route('**/api/replays', async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const response = await route.fetch();
      const body = await response.json();
      for (const job of body.replays)
        Object.assign(job, isCancelled ? {} : { state: 'running', ended_at: null, result: null });
      return route.fulfill({ response, json: body });
    });
    let isCancelled = false;
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    const status = page.getByRole('status').filter({ hasText: 'Replay is running' });
    await status.waitFor();
    await page.route('**/api/replays/*', async (route) => {
      if (route.request().method() === 'DELETE') isCancelled = true;
      return route.continue();
    });
    await status.getByRole('button', { name: 'Cancel' }).click();
    await status.waitFor({ state: 'detached' });
    expect(isCancelled).toBe(true);
    expect((await gateway.api('GET', '/api/replays')).body.replays).toHaveLength(1);
  });
});
