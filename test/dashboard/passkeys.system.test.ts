import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { journeys, startJourney } from './support/journey.ts';
import { advanceClock, setUpAdministrator, signInAs } from './support/people.ts';

/** Gives the browser an authenticator that verifies its user. @returns the number of passkeys in it */
async function addAuthenticator(page: Page): Promise<() => Promise<number>> {
  const browser = await page.context().newCDPSession(page);
  await browser.send('WebAuthn.enable');
  const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return async () => (await browser.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length;
}

journeys('passkeys', () => {
  test('adds a passkey, signs in with it, proves again who it is, and removes it', { timeout: 240_000 }, async () => {
    const { gateway, visit } = await startJourney();
    const administrator = await setUpAdministrator(gateway);
    await administrator.join('Ada', 'administrator');
    // Browsers give passkeys to `localhost`, not to 127.0.0.1.
    const page = await visit({ path: '/profile', hostname: 'localhost' });
    const countPasskeys = await addAuthenticator(page);
    await signInAs(page, 'Ada');
    const section = page.getByRole('region', { name: 'Passkeys' });
    await section.getByText('No passkeys.').waitFor();

    await section.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Work laptop');
    await page.getByRole('button', { name: 'Continue' }).click();
    await section
      .getByRole('row', { name: /Work laptop/ })
      .getByText('never used')
      .waitFor();
    expect(await countPasskeys()).toBe(1);

    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('link', { name: /Your account: Ada/ }).click();
    await section.getByRole('row', { name: /Work laptop/ }).waitFor();
    expect(gateway.events('SessionBegun').at(-1)).toMatchObject({ data: { method: 'passkey' } });

    await section.getByRole('button', { name: 'Rename Work laptop' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Old laptop');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await section.getByRole('row', { name: /Old laptop/ }).waitFor();

    advanceClock(11);
    await section.getByRole('button', { name: 'Remove Old laptop' }).click();
    await page.getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    // The session began with the passkey, so it ends with it.
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(gateway.events('OperatorPasskeyRemoved')).toHaveLength(1);

    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').waitFor();
    await signInAs(page, 'Ada');
    expect(gateway.events('SessionBegun').at(-1)).toMatchObject({ data: { passwordId: expect.any(String) } });
  });

  test('accepts an invitation with a passkey instead of a password', { timeout: 180_000 }, async () => {
    const { gateway, visit } = await startJourney();
    const administrator = await setUpAdministrator(gateway);
    const { path, id } = await administrator.invite('Ada', 'auditor');
    const page = await visit({ path, hostname: 'localhost' });
    await page.getByRole('heading', { name: 'You are invited' }).waitFor();
    const countPasskeys = await addAuthenticator(page);
    await page.getByRole('button', { name: 'Accept with a passkey instead' }).click();
    await page.getByRole('link', { name: /Your account: Ada.*Auditor/ }).click();
    await page
      .getByRole('region', { name: 'Passkeys' })
      .getByRole('row', { name: /Passkey/ })
      .waitFor();
    expect(await countPasskeys()).toBe(1);
    expect(gateway.events('SessionBegun').at(-1)).toMatchObject({ data: { method: 'passkey', operatorId: id } });
    expect(gateway.events('OperatorInvitationAccepted')).toHaveLength(1);

    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('link', { name: /Your account: Ada/ }).waitFor();
    // The link has worked once.
    const other = await visit({ path, hostname: 'localhost' });
    await other.getByRole('heading', { name: 'This invitation no longer works' }).waitFor();
  });

  test('says where passkeys work when the page is open at another address', async () => {
    const { gateway, visit } = await startJourney();
    const administrator = await setUpAdministrator(gateway);
    await administrator.join('Ada', 'administrator');
    const page = await visit({ path: '/profile' });
    await page.getByLabel('Name or e-mail address').waitFor();
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);
    await signInAs(page, 'Ada');
    await page.getByText(/^Passkeys work at http:\/\/localhost:\d+, not at http:\/\/127\.0\.0\.1:\d+\.$/).waitFor();
    expect(await page.getByRole('button', { name: 'Add passkey' }).count()).toBe(0);
  });
});
