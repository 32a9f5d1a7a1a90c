import { expect, test } from 'vitest';
import { PASSWORD } from '../support/browser.ts';
import { journeys, REMOTE_HOST, startJourney } from './support/journey.ts';

journeys('set-up and sign-in', () => {
  test('requires the set-up token for the first password from another machine', async () => {
    const { gateway, visit } = await startJourney({ env: { SVC_SETUP_TOKEN: 'token-of-the-operator' } });
    const page = await visit({ isRemote: true, path: '/accounts' });
    await page.getByRole('heading', { name: 'Set a password' }).waitFor();
    expect(new URL(page.url())).toMatchObject({ hostname: REMOTE_HOST, pathname: '/set-up' });

    await page.getByLabel('Set-up token').fill('wrong');
    await page.getByLabel('New password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('At least 8 characters; this has 5.').waitFor();
    await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('The set-up token is wrong.').waitFor();

    await page.getByLabel('Set-up token').fill(' token-of-the-operator ');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(gateway.events('DashboardPasswordSet')).toHaveLength(1);
  });

  test('returns to the requested page after the sign-in, and signs out', async () => {
    const { gateway, visit } = await startJourney();
    await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
    const page = await visit({ path: '/accounts?search=ada' });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();

    await page.getByLabel('Password', { exact: true }).fill('a wrong guess');
    await page.keyboard.press('Enter');
    await page.getByText('The password is wrong.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/accounts?search=ada');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('shows the waiting time after failed attempts', async () => {
    const { gateway, visit } = await startJourney();
    await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
    const page = await visit({ path: '/sign-in' });
    for (let guess = 1; guess <= 8; guess++) {
      await gateway.api('POST', '/api/dashboard-auth/password/login', { password: `guess ${guess}` });
    }
    await page.getByLabel('Password', { exact: true }).fill('another guess');
    await page.keyboard.press('Enter');
    await page.getByText(/Too many failed attempts from your address\. Try again in \d+ s\./).waitFor();
    const button = page.getByRole('button', { name: /^Wait \d+ s$/ });
    expect(await button.isDisabled()).toBe(true);
    const first = Number(/\d+/.exec((await button.textContent()) ?? '')?.[0]);
    await page.getByRole('button', { name: `Wait ${first - 1} s` }).waitFor();
  });

  test('redirects to the sign-in when the session ends, and back to the same page', async () => {
    const { gateway, visit } = await startJourney();
    await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
    const page = await visit({ path: '/sign-in?next=%2Fsettings' });
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();

    const session = gateway.events('SessionBegun').at(-1)?.data.sessionId;
    const login = await fetch(`${gateway.url}/api/dashboard-auth/password/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: PASSWORD }),
    });
    const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await fetch(`${gateway.url}/api/sessions/${session}`, { method: 'DELETE', headers: { cookie } });

    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  });
});
