import { expect, test } from 'vitest';
import { validRequest } from '../support/gateway.ts';
import { OPERATOR_PASSWORD } from '../support/operators.ts';
import { journeys, startJourney } from './support/journey.ts';
import { actOn, advanceClock, linkNames, setUpAdministrator, signInAs } from './support/people.ts';
import { settled } from './support/settled.ts';

const WRITES =
  /^(Create|Add|Invite|Delete|Remove|Regenerate|Edit|Pause|Reactivate|Deactivate|Place hold|Archive|Limit an owner|Sign out all|Require)/;

/** Several people in several browsers, each with passwords that take time to check. */
const LONG = { timeout: 240_000 };

journeys('roles', () => {
  test(
    'a member creates, replaces and deletes own keys, sees no others, and asks for nothing forbidden',
    LONG,
    async () => {
      const { gateway, visit } = await startJourney({ accounts: 1 });
      const { call, join } = await setUpAdministrator(gateway);
      await join('Mia', 'member');
      const { body: shared } = await call('POST', '/api/api-keys', { name: 'of the team' });
      await call('PUT', '/api/settings', {
        ...{ sticky_threads_enabled: true, prefer_earlier_reset_accounts: false, api_key_auth_enabled: true },
      });
      const page = await visit({ path: '/' });
      await signInAs(page, 'Mia');
      await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
      expect(await linkNames(page)).toEqual(['API keys', 'Teams', 'Usage', 'Request logs', 'Connect']);
      await page.getByRole('heading', { name: 'No API keys yet' }).waitFor();
      expect(await page.getByText('of the team').count()).toBe(0);

      await page.getByRole('button', { name: 'Create your first key' }).click();
      await page.getByLabel('Name').fill('laptop');
      expect(await page.getByLabel('Owner').count()).toBe(0);
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      const first = (await page.getByLabel('API key', { exact: true }).textContent()) ?? '';
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Done, I copied it' }).click();

      await page.getByRole('button', { name: 'laptop', exact: true }).click();
      await page.getByRole('dialog').getByText('No limits.', { exact: false }).waitFor();
      await page.keyboard.press('Escape');

      // Later than 10 minutes after the sign-in, replacing a key asks who it is, and then goes on.
      advanceClock(11);
      await actOn(page, 'laptop', 'Regenerate …');
      await page.getByRole('button', { name: 'Regenerate key' }).click();
      const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
      await dialog.getByLabel('Password', { exact: true }).fill('a wrong guess');
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await dialog.getByText('The password is wrong.').waitFor();
      await dialog.getByLabel('Password', { exact: true }).fill(OPERATOR_PASSWORD);
      await dialog.getByRole('button', { name: 'Continue' }).click();
      const second = (await page.getByLabel('API key', { exact: true }).textContent()) ?? '';
      expect(second).toMatch(/^sk-svc-/);
      expect(second).not.toBe(first);
      await page.getByRole('button', { name: 'Done, I copied it' }).click();

      // Only own requests.
      const asMia = { headers: { authorization: `Bearer ${second}` } };
      await (await gateway.ask(validRequest, asMia)).text();
      await (await gateway.ask(validRequest, { headers: { authorization: `Bearer ${shared.key}` } })).text();
      await page.getByRole('link', { name: 'Request logs', exact: true }).click();
      await page.getByText('1 request, newest first').waitFor();
      expect(await page.getByRole('columnheader').allInnerTexts()).not.toContain('Account');
      await page.locator('tr.request').getByText('laptop').waitFor();
      await page.locator('tr.request').click();
      await page.getByRole('dialog').getByText('Tokens and cost').waitFor();
      await settled(page);
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Model', exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Attempted account' }).count()).toBe(0);
      await page.getByRole('link', { name: 'API keys', exact: true }).click();

      await actOn(page, 'laptop', 'Delete …');
      await page.getByLabel('Type laptop to confirm').fill('laptop');
      await page.getByRole('button', { name: 'Delete key' }).click();
      await page.getByText('laptop deleted').waitFor();

      for (const path of ['/teams', '/request-logs?status=error', '/connect', '/profile']) {
        await page.goto(gateway.url + path);
        await settled(page);
        expect(await page.getByRole('alert').allInnerTexts(), path).toEqual([]);
      }
      for (const path of ['/accounts', '/history', '/settings', '/operators', '/integrity']) {
        await page.goto(gateway.url + path);
        await page.getByRole('heading', { name: 'Your role does not include this page' }).waitFor();
      }
      // The service records every denied action: the dashboard tried none.
      expect(gateway.events('ActionDenied')).toEqual([]);
    },
  );

  test('an auditor opens every page and finds no control that changes anything', LONG, async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const { call, join } = await setUpAdministrator(gateway);
    await join('Audrey', 'auditor');
    await call('POST', '/api/api-keys', { name: 'ci' });
    await call('POST', '/api/teams', { name: 'research', limits: [] });
    await call('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
    const page = await visit({ path: '/' });
    await signInAs(page, 'Audrey');
    for (const name of await linkNames(page)) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await settled(page);
      expect(await page.getByRole('alert').allInnerTexts(), name).toEqual([]);
      const buttons = await page.locator('main').getByRole('button').allInnerTexts();
      expect(
        buttons.filter((text) => WRITES.test(text)),
        name,
      ).toEqual([]);
    }
    await page.goto(`${gateway.url}/api-keys?new`);
    await settled(page);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Actions for ci' }).click();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['History']);
    await page.goto(`${gateway.url}/settings`);
    expect(await page.getByRole('switch', { name: 'Require an API key' }).isDisabled()).toBe(true);
    expect(gateway.events('ActionDenied')).toEqual([]);
  });
});
