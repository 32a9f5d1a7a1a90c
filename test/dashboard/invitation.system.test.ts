import { expect, test } from 'vitest';
import type { Instant } from '../../src/domain/core/brands.ts';
import { codeAt, PASSWORD } from '../support/browser.ts';
import { OPERATOR_PASSWORD } from '../support/operators.ts';
import { journeys, startJourney } from './support/journey.ts';
import { linkNames, setUpAdministrator } from './support/people.ts';

/** Several people in several browsers, each with passwords that take time to check. */
const LONG = { timeout: 240_000 };

journeys('invitations', () => {
  test('leads an operator from the link to a sign-in with two-factor authentication', LONG, async () => {
    const { gateway, visit } = await startJourney();
    await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
    const page = await visit({ path: '/operators' });
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Invite the first operator' }).click();
    await page.getByRole('button', { name: 'Create invitation' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByText('Enter an e-mail address.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByRole('radio', { name: /^Administrator/ }).click();
    await page.getByRole('button', { name: 'Create invitation' }).click();
    const link = (await page.getByLabel('Invitation link').textContent()) ?? '';
    expect(link).toMatch(new RegExp(`^${gateway.url}/invitation#`));
    // It is shown once, so neither Escape nor a click outside closes it.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await page.getByLabel('Invitation link').waitFor();
    await page.getByRole('button', { name: 'Done, I copied it' }).click();
    await page.getByRole('row').filter({ hasText: 'Ada Lovelace' }).getByText('Invited').waitFor();

    const own = new URL(link);
    const ada = await visit({ path: own.pathname + own.hash });
    const requested: string[] = [];
    ada.on('request', (request) => requested.push(request.url()));
    await ada.getByRole('heading', { name: 'You are invited' }).waitFor();
    await ada.getByText(/^Built-in administrator invites you/).waitFor();
    await ada.getByLabel('New password', { exact: true }).fill('short');
    await ada.getByRole('button', { name: 'Accept and sign in' }).click();
    await ada.getByText('At least 8 characters; this has 5.').waitFor();
    await ada.getByLabel('New password', { exact: true }).fill(OPERATOR_PASSWORD);
    await ada.getByRole('button', { name: 'Accept and sign in' }).click();
    await ada.getByRole('button', { name: 'Set up two-factor authentication' }).click();
    await ada.getByRole('img', { name: /^QR code/ }).waitFor();
    const secret = ((await ada.locator('code.secret').textContent()) ?? '').replaceAll(' ', '');
    await ada.getByLabel('6-digit code').fill(codeAt(secret, Date.now() as Instant));
    const codes = ada.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
    await codes.first().waitFor();
    expect(await codes.count()).toBe(10);
    const [recoveryCode = ''] = await codes.allInnerTexts();
    await ada.getByRole('button', { name: 'Done, I kept them' }).click();
    await ada.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await ada.getByRole('link', { name: /Your account: Ada Lovelace.*Administrator/ }).waitFor();
    // The secret part of the link is in no address that a server sees.
    expect(requested.filter((url) => url.includes(own.hash.slice(1)))).toEqual([]);

    await page.goto(link);
    await page.getByRole('heading', { name: 'This invitation no longer works' }).waitFor();

    await ada.getByRole('button', { name: 'Sign out', exact: true }).click();
    await ada.getByLabel('Name or e-mail address').fill('ADA@example.com');
    await ada.getByLabel('Password', { exact: true }).fill('a wrong guess');
    await ada.getByRole('button', { name: 'Sign in', exact: true }).click();
    await ada.getByText(/^The name or the password is wrong/).waitFor();
    await ada.getByLabel('Password', { exact: true }).fill(OPERATOR_PASSWORD);
    await ada.keyboard.press('Enter');
    await ada.getByRole('button', { name: 'Use a recovery code' }).click();
    await ada.getByLabel('Recovery code').fill(recoveryCode.toUpperCase());
    await ada.getByRole('button', { name: 'Verify' }).click();
    await ada.getByRole('link', { name: /Your account/ }).click();
    await ada.getByText('9 recovery codes are left.').waitFor();
    expect(gateway.events('OperatorRecoveryCodeUsed')).toHaveLength(1);
  });

  test('asks for two-factor authentication where everyone needs it, and shows only that until then', LONG, async () => {
    const { gateway, visit } = await startJourney();
    const { call, invite } = await setUpAdministrator(gateway);
    const { path } = await invite('Mia', 'member');
    // Only an administrator who has TOTP may require it.
    const { body: totp } = await call('POST', '/api/dashboard-auth/totp/setup/start');
    const code = codeAt(totp.secret, Date.now() as Instant);
    await call('POST', '/api/dashboard-auth/totp/setup/confirm', { setupToken: totp.setupToken, code });
    await call('PUT', '/api/settings', {
      ...{ sticky_threads_enabled: true, prefer_earlier_reset_accounts: false, totp_required_on_login: true },
    });
    const page = await visit({ path });
    await page.getByLabel('New password', { exact: true }).fill(OPERATOR_PASSWORD);
    await page.getByRole('button', { name: 'Accept and sign in' }).click();
    await page.getByText('Everyone needs it here').waitFor();
    expect(await page.getByRole('button', { name: 'Not now' }).count()).toBe(0);
    await page.goto(`${gateway.url}/api-keys`);
    await page.getByRole('heading', { name: 'Set up two-factor authentication', level: 1 }).waitFor();
    const secret = ((await page.locator('code.secret').textContent()) ?? '').replaceAll(' ', '');
    await page.getByLabel('6-digit code').fill(codeAt(secret, Date.now() as Instant));
    await page.getByRole('button', { name: 'Done, I kept them' }).click();
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    expect(await linkNames(page)).toEqual(['API keys', 'Teams', 'Usage', 'Request logs', 'Connect']);
  });
});
