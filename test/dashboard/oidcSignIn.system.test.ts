import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PASSWORD } from '../support/browser.ts';
import { journeys, REMOTE_HOST, startOidcJourney } from './support/journey.ts';
import { advanceClock, setUpAdministrator } from './support/people.ts';

const LONG = { timeout: 240_000 };
const ADA = { email: 'ada@example.com', email_verified: true, name: 'Ada', groups: ['admins'] };
const RULES = { SVC_OIDC_SCOPES: 'openid email profile groups', SVC_OIDC_ROLES: 'admins=administrator' };

/** On the page of the provider. */
async function signInAtProvider(page: Page, subject: string): Promise<void> {
  await page.getByLabel('Subject').fill(subject);
  await page.getByRole('button', { name: 'Continue' }).click();
}

const makeToken = async (page: Page) => {
  await page.getByRole('button', { name: 'Create token' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('deploy script');
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
};

journeys('sign-in by OIDC', () => {
  test('signs in from another machine while no password is set, and proves again who it is', LONG, async () => {
    const people = { ada: ADA, eve: { email: 'eve@example.com', name: 'Eve' } };
    const { gateway, visit } = await startOidcJourney({ oidcPeople: people, env: RULES, hostname: REMOTE_HOST });
    const page = await visit({ path: '/history?type=SessionBegun' });
    await page.getByRole('link', { name: 'Continue with Example' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    // There is no password to ask for.
    expect(await page.getByLabel('Password', { exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: 'Set a password for the built-in administrator' }).waitFor();

    await page.getByRole('link', { name: 'Continue with Example' }).click();
    await signInAtProvider(page, 'eve');
    await page.getByText('You have no access. Ask an administrator to invite you.').waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Continue with Example' }).click();
    await signInAtProvider(page, 'ada');
    await page.waitForURL('**/history?type=SessionBegun');
    await page.getByRole('link', { name: /Your account: Ada.*Administrator/ }).click();
    expect(gateway.events('SessionBegun').at(-1)).toMatchObject({ data: { method: 'oidc', passwordId: null } });

    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    advanceClock(11);
    await makeToken(page);
    const question = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await question.getByRole('link', { name: 'Confirm with Example' }).click();
    // Signed in there already, and asked again all the same.
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('You were not confirmed').waitFor();
    await page.getByText('The sign-in was cancelled at the OpenID provider.').waitFor();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(gateway.events('ManagementTokenCreated')).toEqual([]);

    await makeToken(page);
    await question.getByRole('link', { name: 'Confirm with Example' }).click();
    await signInAtProvider(page, 'ada');
    await page.waitForURL('**/profile');
    await makeToken(page);
    await page.getByText('deploy script').first().waitFor();
    expect(gateway.events('ManagementTokenCreated')).toHaveLength(1);
  });

  test(
    'shows the password of the built-in administrator only on request where local sign-in is off',
    LONG,
    async () => {
      const env = { ...RULES, SVC_LOCAL_SIGN_IN: 'false' };
      const { gateway, visit } = await startOidcJourney({ oidcPeople: { ada: ADA }, env });
      const administrator = await setUpAdministrator(gateway);
      const { path } = await administrator.invite('Ada', 'administrator');
      const invited = await visit({ path });
      await invited.getByText(/Sign in at Example with your e-mail address to accept\./).waitFor();
      expect(await invited.getByLabel('New password', { exact: true }).count()).toBe(0);
      await invited.getByRole('link', { name: 'Continue with Example' }).click();
      await signInAtProvider(invited, 'ada');
      await invited.getByRole('link', { name: /Your account: Ada.*Administrator/ }).waitFor();

      const page = await visit({ path: '/operators' });
      await page.getByRole('link', { name: 'Continue with Example' }).waitFor();
      expect(await page.getByRole('textbox').count()).toBe(0);
      expect(await page.getByRole('button', { name: /passkey/ }).count()).toBe(0);
      await page.getByRole('button', { name: 'Sign in as built-in administrator' }).click();
      await page.getByText('For emergencies: everything that you do is recorded without a name.').waitFor();
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Operators', level: 1 }).waitFor();
    },
  );
});
