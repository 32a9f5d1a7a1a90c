import { expect, test } from 'vitest';
import { PASSWORD } from '../support/browser.ts';
import { OPERATOR_PASSWORD } from '../support/operators.ts';
import { journeys, startJourney } from './support/journey.ts';
import { actOn, advanceClock, setUpAdministrator, signInAs, signInAsBuiltIn, withToken } from './support/people.ts';

/** Several people in several browsers, each with passwords that take time to check. */
const LONG = { timeout: 240_000 };

journeys('operators', () => {
  test('a change of role and a disabled operator bind an open session, and say so', LONG, async () => {
    const { gateway, visit } = await startJourney();
    const { join } = await setUpAdministrator(gateway);
    await join('Ada', 'administrator');
    await join('Bob', 'operator');
    const page = await visit({ path: '/operators' });
    await signInAs(page, 'Ada');
    const bob = await visit({ path: '/firewall' });
    await signInAs(bob, 'Bob');
    await bob.getByRole('button', { name: 'Add', exact: true }).waitFor();
    await bob.getByText('Live', { exact: true }).waitFor();

    await actOn(page, 'Bob', 'Edit …');
    await page.getByRole('radio', { name: /^Auditor/ }).click();
    await page.getByText('Open sessions and management tokens obey from their next request.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Bob updated').waitFor();
    await bob.getByText('Your role is now auditor').waitFor();
    await bob.getByRole('button', { name: 'Add', exact: true }).waitFor({ state: 'detached' });
    await bob.getByRole('link', { name: 'Operators' }).waitFor();

    await actOn(page, 'Bob', 'Disable …');
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'bob@example.com' }).getByText('Disabled').waitFor();
    await bob.reload();
    await bob.getByLabel('Name or e-mail address').fill('Bob');
    await bob.getByLabel('Password', { exact: true }).fill(OPERATOR_PASSWORD);
    await bob.getByRole('button', { name: 'Sign in', exact: true }).click();
    await bob.getByText('or the sign-in is disabled').waitFor();
  });

  test(
    'ends the session of another person, removes and forgets one, and keeps the last administrator',
    LONG,
    async () => {
      const { gateway, visit } = await startJourney();
      const { join } = await setUpAdministrator(gateway);
      await join('Ada', 'administrator');
      const bobId = await join('Bob', 'operator');
      const page = await visit({ path: '/operators' });
      await signInAs(page, 'Ada');
      const bob = await visit({ path: '/accounts' });
      await signInAs(bob, 'Bob');
      await bob.getByText('Live', { exact: true }).waitFor();
      await page.getByRole('button', { name: /^Sign out Bob, Chrome/ }).click();
      await page.getByText(/signed out$/).waitFor();
      await bob.getByText('Your session has ended', { exact: false }).waitFor();
      await signInAs(bob, 'Bob');
      await bob.getByRole('heading', { name: 'Accounts', level: 1 }).waitFor();

      advanceClock(11);
      await actOn(page, 'Bob', 'Forget …');
      await page.getByLabel('Type Bob to confirm').fill('Bob');
      await page.getByRole('button', { name: 'Forget person' }).click();
      const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('You did not confirm that it is you.').waitFor();
      expect(gateway.events('OperatorForgotten')).toEqual([]);
      await actOn(page, 'Bob', 'Forget …');
      await page.getByLabel('Type Bob to confirm').fill('Bob');
      await page.getByRole('button', { name: 'Forget person' }).click();
      await dialog.getByLabel('Password', { exact: true }).fill(OPERATOR_PASSWORD);
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('Person forgotten').waitFor();
      await page.goto(`${gateway.url}/history?actor=person:${bobId}&kind=everything`);
      await page
        .getByText(`a forgotten person (${bobId.slice(0, 8)})`, { exact: false })
        .first()
        .waitFor();
      expect(await page.getByText('bob@example.com').count()).toBe(0);

      // Without the built-in administrator, the last administrator stays.
      const builtIn = await visit({ path: '/profile' });
      await signInAsBuiltIn(builtIn);
      await builtIn.getByRole('button', { name: 'Remove password …' }).click();
      await builtIn.getByText('Management stays closed').waitFor();
      await builtIn.getByRole('dialog').getByLabel('Current password', { exact: true }).fill(PASSWORD);
      await builtIn.getByRole('dialog').getByRole('button', { name: 'Remove password' }).click();
      await builtIn.getByLabel('Name or e-mail address').waitFor();
      expect(await builtIn.getByRole('button', { name: 'Sign in as built-in administrator' }).count()).toBe(0);
      await page.goto(`${gateway.url}/operators`);
      await actOn(page, 'Ada', 'Remove …');
      await page.getByRole('button', { name: 'Remove operator' }).click();
      await page.getByText('This is the last administrator.', { exact: false }).waitFor();
    },
  );

  test('creates, shows once, uses and revokes a management token', LONG, async () => {
    const { gateway, visit } = await startJourney();
    const { join } = await setUpAdministrator(gateway);
    const adaId = await join('Ada', 'administrator');
    const page = await visit({ path: '/profile' });
    await signInAs(page, 'Ada');
    await page.getByRole('button', { name: 'Create token …' }).click();
    await page.getByLabel('Name', { exact: true }).fill('deploy');
    await page.getByLabel(/^Role/).click();
    await page.getByRole('option', { name: 'Operator' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
    const token = (await page.getByLabel('Management token', { exact: true }).textContent()) ?? '';
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await page.getByRole('button', { name: 'Done, I copied it' }).click();
    const row = page.getByRole('row').filter({ hasText: 'deploy' });
    await row.getByText('never used').waitFor();
    const allow = (ip_address: string) => withToken(gateway, token, 'POST', '/api/firewall/ips', { ip_address });
    expect((await allow('127.0.0.1')).status).toBe(200);
    await row.getByText('just now').or(row.getByText('ago')).first().waitFor();

    await row.getByRole('button', { name: 'Revoke deploy' }).click();
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('deploy revoked').waitFor();
    expect((await allow('127.0.0.2')).status).toBe(401);
    await page.getByRole('button', { name: 'Show 1 that no longer work' }).click();
    await row.getByText('Revoked').waitFor();

    await page.goto(`${gateway.url}/history?actor=person:${adaId}`);
    await page
      .getByText(/^the token "deploy" of Ada at 127\.0\.0\.1/)
      .first()
      .waitFor();
  });
});
