import { expect, test } from 'vitest';
import type { Instant } from '../../src/domain/core/brands.ts';
import { codeAt } from '../support/browser.ts';
import { OPERATOR_PASSWORD } from '../support/operators.ts';
import { journeys, startJourney } from './support/journey.ts';
import { actOn, advanceClock, sessionOf, setUpAdministrator, signInAs, withToken } from './support/people.ts';

/** Several people in several browsers, each with passwords that take time to check. */
const LONG = { timeout: 240_000 };
const NEW_PASSWORD = 'staple battery horse';

/** Sets up TOTP with the code of now. @returns the secret */
async function setUpTotp(call: Awaited<ReturnType<typeof sessionOf>>): Promise<string> {
  const { secret, setupToken } = (await call('POST', '/api/dashboard-auth/totp/setup/start')).body;
  const code = codeAt(secret, Date.now() as Instant);
  expect((await call('POST', '/api/dashboard-auth/totp/setup/confirm', { setupToken, code })).status).toBe(200);
  return secret;
}

journeys('help for others', () => {
  test('turns off 2FA of a person, makes a link for a new password, and revokes their token', LONG, async () => {
    const { gateway, visit } = await startJourney();
    const { join } = await setUpAdministrator(gateway);
    await join('Ada', 'administrator');
    await join('Bob', 'operator');
    const bobs = await sessionOf(gateway, 'Bob');
    await setUpTotp(bobs);
    const { body: token } = await bobs('POST', '/api/tokens', { name: 'deploy', role: 'operator' });
    const isAccepted = async () => (await withToken(gateway, token.token, 'GET', '/api/accounts')).status;
    expect(await isAccepted()).toBe(200);

    const page = await visit({ path: '/operators' });
    await signInAs(page, 'Ada');
    await actOn(page, 'Bob', 'Turn off 2FA …');
    await page.getByRole('button', { name: 'Turn off', exact: true }).click();
    await page.getByText('Two-factor authentication of Bob turned off').waitFor();
    await page.getByRole('button', { name: 'Revoke deploy' }).click();
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('deploy revoked').waitFor();
    expect(await isAccepted()).toBe(401);

    await actOn(page, 'Bob', 'Link for a new password …');
    await page.getByRole('button', { name: 'Make link' }).click();
    const link = new URL((await page.getByLabel('Invitation link').textContent()) ?? '');
    await page.getByRole('button', { name: 'Done, I copied it' }).click();
    const bob = await visit({ path: link.pathname + link.hash });
    await bob.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    await bob.getByText(/^Ada made this link for you\./).waitFor();
    await bob.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await bob.getByRole('button', { name: 'Set password and sign in' }).click();
    await bob.getByRole('button', { name: 'Not now' }).click();
    await bob.getByRole('link', { name: /Your account: Bob/ }).click();
    await bob.getByRole('button', { name: 'Sign out', exact: true }).click();
    await bob.getByLabel('Name or e-mail address').fill('Bob');
    await bob.getByLabel('Password', { exact: true }).fill(OPERATOR_PASSWORD);
    await bob.getByRole('button', { name: 'Sign in', exact: true }).click();
    await bob.getByText(/^The name or the password is wrong/).waitFor();
    await signInAs(bob, 'Bob', NEW_PASSWORD);
  });

  test('asks for password and code before the own 2FA is turned off', LONG, async () => {
    const { gateway, visit } = await startJourney();
    const { join } = await setUpAdministrator(gateway);
    await join('Ada', 'administrator');
    const secret = await setUpTotp(await sessionOf(gateway, 'Ada'));
    const page = await visit({ path: '/profile' });
    await page.getByLabel('Name or e-mail address').fill('Ada');
    await page.getByLabel('Password', { exact: true }).fill(OPERATOR_PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    // That of the next step: the one of now was used for the set-up.
    await page.getByLabel('6-digit code').fill(codeAt(secret, (Date.now() + 30_000) as Instant));
    await page.getByRole('heading', { name: 'Your account' }).waitFor();

    advanceClock(11);
    const turnOff = async () => {
      await page.getByRole('button', { name: 'Turn off …' }).click();
      await page.getByRole('button', { name: 'Turn off', exact: true }).click();
    };
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await turnOff();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('You did not confirm that it is you.').waitFor();
    expect(gateway.events('OperatorTotpDisabled')).toEqual([]);
    await turnOff();
    await dialog.getByLabel('Password', { exact: true }).fill(OPERATOR_PASSWORD);
    // Without the code nothing is sent.
    expect(await dialog.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true);
    const code = codeAt(secret, Date.now() as Instant);
    await dialog.getByLabel('6-digit code').fill(code === '000000' ? '000001' : '000000');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('The code is wrong or was already used. Wait for the next one.').waitFor();
    await dialog.getByLabel('6-digit code').fill(codeAt(secret, Date.now() as Instant));
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Set up', exact: true }).waitFor();
    expect(gateway.events('OperatorTotpDisabled')).toHaveLength(1);
  });
});
