import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Gateway } from '../support/gateway.ts';
import type { SimulatedAccount } from '../support/provider/account.ts';
import { signInAt } from '../support/provider/client.ts';
import { serverError, startingTogether } from '../support/provider/scripts.ts';
import { journeys, startJourney } from './support/journey.ts';

const file = (account: SimulatedAccount, name = 'auth.json') => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(account.authFile())),
});
const rowOf = (page: Page, account: SimulatedAccount) => page.getByRole('row').filter({ hasText: account.email });
const act = async (page: Page, account: SimulatedAccount, item: string) => {
  await page.getByRole('button', { name: `Actions for ${account.email}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

journeys('accounts', () => {
  test('links an account by a sign-in with this browser, and it serves immediately', async () => {
    const { gateway, visit } = await startJourney();
    const account = gateway.provider.addAccount({ email: 'ada@example.com', plan: 'pro' });
    const page = await visit({ path: '/accounts' });
    await page.getByRole('button', { name: 'Sign in with the provider' }).click();
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Open sign-in page' }).click();
    const provider = await opened;
    await provider.getByRole('button', { name: /^ada@example\.com/ }).click();
    await provider.getByText('The account is linked.').waitFor();
    await provider.close();

    await page.getByRole('heading', { name: 'Account linked' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await rowOf(page, account).getByText('Active').waitFor();
    await rowOf(page, account)
      .getByRole('meter', { name: /^Primary window .* of ada@example\.com/ })
      .waitFor();
    expect((await gateway.ask()).status).toBe(200);
  });

  test('offers another sign-in first where the provider refuses the refresh token', async () => {
    const { gateway, visit } = await startJourney({ accounts: 2 });
    const [{ at: account }] = gateway.pool as [Gateway['pool'][number]];
    account.expireAccessToken();
    account.token = { status: 401, error: 'refresh_token_reused' };
    await (await gateway.ask()).text();
    const page = await visit({ path: '/accounts' });
    await rowOf(page, account).getByRole('button', { name: 'Sign in again' }).waitFor();
    // A telephone shows no title of a text that is cut.
    await page.setViewportSize({ width: 360, height: 740 });
    const reason = page.locator('.detail.bad-text').first();
    expect(await reason.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    await page.setViewportSize({ width: 1_280, height: 900 });
    await act(page, account, 'Reactivate');
    const question = page.getByRole('dialog', { name: /^Reactivate .* with the same tokens\?$/ });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(gateway.events('AccountReactivated')).toHaveLength(0);
    await page.getByRole('button', { name: `Actions for ${account.email}` }).click();
    const actions = await page.getByRole('menuitem').allInnerTexts();
    expect(actions.indexOf('Sign in again')).toBe(actions.indexOf('Reactivate') - 1);
    await page.keyboard.press('Escape');
    await rowOf(page, account).getByRole('button', { name: 'Sign in again' }).click();
    await page.getByRole('dialog', { name: `Sign in again: ${account.email}` }).waitFor();
  });

  test('links an account by the pasted redirect address', async () => {
    const { gateway, visit } = await startJourney();
    const account = gateway.provider.addAccount({ email: 'grace@example.com' });
    const page = await visit({ path: '/accounts?add=browser' });
    const link = page.getByRole('link', { name: 'Open sign-in page' });
    const address = await signInAt((await link.getAttribute('href')) ?? '', account);
    await page.getByText('My browser shows a page that does not load').click();
    await page.getByLabel('Address of the page').fill('http://localhost/nonsense');
    await page.getByRole('button', { name: 'Finish sign-in' }).click();
    await page.locator('.error').waitFor();
    await page.getByLabel('Address of the page').fill(address);
    await page.getByRole('button', { name: 'Finish sign-in' }).click();
    await page.getByRole('heading', { name: 'Account linked' }).waitFor();
  });

  test('links an account with a device code', async () => {
    const { gateway, visit } = await startJourney();
    gateway.provider.authorization.script.interval = '0.1';
    const account = gateway.provider.addAccount({ email: 'radia@example.com' });
    const page = await visit({ path: '/accounts?add' });
    await page.getByRole('button', { name: /^Sign in with a device code/ }).click();
    const code = (await page.getByLabel('Code', { exact: true }).textContent()) ?? '';
    expect(code).toMatch(/^[0-9A-F]{4}-[0-9A-F]{5}$/);
    await page.getByText(/Time left: 14:\d\d/).waitFor();

    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Open page' }).click();
    const provider = await opened;
    await provider.getByLabel('Code').fill(code);
    await provider.getByRole('button', { name: /^radia@example\.com/ }).click();
    await page.getByRole('heading', { name: 'Account linked' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await rowOf(page, account).waitFor();
  });

  test('closing the dialog cancels the sign-in', async () => {
    const { gateway, visit } = await startJourney();
    const page = await visit({ path: '/accounts?add=device' });
    await page.getByLabel('Code', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await expect.poll(() => gateway.events('AccountLinkCancelled').length, { timeout: 10_000 }).toBe(1);
    // The event may be written before the URL changes.
    await expect.poll(() => new URL(page.url()).search, { timeout: 10_000 }).toBe('');
  });

  test('imports several files, each with its own result', async () => {
    const { gateway, visit } = await startJourney();
    const [ada, grace] = [
      gateway.provider.addAccount({ email: 'ada@example.com' }),
      gateway.provider.addAccount({ email: 'grace@example.com' }),
    ];
    await gateway.importAccount(ada);
    const page = await visit({ path: '/accounts?add=import' });
    const nonsense = { name: 'notes.json', mimeType: 'application/json', buffer: Buffer.from('{"tokens": 1}') };
    await page
      .getByLabel('Auth files', { exact: true })
      .setInputFiles([file(ada, 'ada.json'), file(grace, 'grace.json'), nonsense]);
    const results = page.getByRole('list', { name: 'Imported files' }).getByRole('listitem');
    await results.filter({ hasText: 'grace@example.com' }).getByText('Imported, plus').waitFor();
    await results.filter({ hasText: 'notes.json' }).getByText('Nothing was imported.').waitFor();
    const known = results.filter({ hasText: 'ada.json' });
    await known.getByText('This account already exists.').waitFor();
    await known.getByRole('button', { name: 'Replace tokens' }).click();
    await results.filter({ hasText: 'ada@example.com' }).getByText('Tokens replaced').waitFor();
    expect(gateway.events('AccountTokensReplaced')).toHaveLength(1);
  });

  test('sets, changes and removes the proxy of an account, and never shows its password', async () => {
    const { gateway, visit } = await startJourney();
    const account = gateway.provider.addAccount({ email: 'ada@example.com' });
    const id = await gateway.importAccount(account);
    const page = await visit({ path: '/accounts' });
    await page.getByRole('button', { name: /^ada/ }).click();
    const section = page.getByRole('region', { name: 'Proxy' });
    await section.getByText('None of its own').waitFor();
    await section.getByRole('button', { name: 'Set proxy' }).click();
    await section.getByLabel('Proxy address').fill('ftp://user:s3cr3t@proxy.test');
    await section.getByRole('button', { name: 'Save proxy' }).click();
    await section.getByText(/must be the address of an http, https or socks5 proxy/).waitFor();
    await section.getByLabel('Proxy address').fill('http://user:s3cr3t@127.0.0.1:1');
    await section.getByRole('button', { name: 'Save proxy' }).click();
    await section.getByText('leave through 127.0.0.1:1').waitFor();
    expect((await gateway.ask()).status).toBe(502);
    await section.getByRole('button', { name: 'Change proxy' }).click();
    expect(await section.getByLabel('Proxy address').inputValue()).toBe('');
    await section.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.content()).not.toContain('s3cr3t');
    await section.getByRole('button', { name: 'Remove proxy' }).click();
    await section.getByText('None of its own').waitFor();
    expect((await gateway.ask()).status).toBe(200);
    expect(gateway.events('AccountProxyChanged').map(({ data }) => [data.accountId, data.from, data.to])).toEqual([
      [id, null, '127.0.0.1:1'],
      [id, '127.0.0.1:1', null],
    ]);
  });

  test('shows that an account is failing, how it failed last, and the requests that tried it', async () => {
    const { gateway, visit } = await startJourney({ accounts: 2 });
    await gateway.set({ sticky_threads_enabled: false });
    const account = gateway.pool[0]?.at as SimulatedAccount;
    account.always(startingTogether(3, serverError({ status: 500, body: 'html' })));
    for (const { status } of await Promise.all([gateway.ask(), gateway.ask(), gateway.ask()])) expect(status).toBe(200);
    await expect.poll(() => gateway.events('RequestCompleted').length, { timeout: 10_000 }).toBe(3);

    const page = await visit({ path: '/accounts' });
    await rowOf(page, account).getByText('Failing').waitFor();
    await rowOf(page, account).getByText('3 of the last 3 attempts failed').waitFor();
    await page.getByRole('button', { name: account.email, exact: true }).click();
    const attempts = page.getByRole('region', { name: 'Attempts' });
    await attempts.getByText('100 %').waitFor();
    await attempts.getByText('provider error (status 500)').waitFor();
    await attempts.getByText('0 requests served').waitFor();
    await attempts.getByRole('link', { name: '3 attempted' }).click();

    await page.getByRole('button', { name: /^Remove .*Attempted account/ }).waitFor();
    const rows = page.getByRole('button', { name: /^Details of the request/ });
    await expect.poll(() => rows.count(), { timeout: 10_000 }).toBe(3);
    await rows.first().click();
    await page.getByRole('region', { name: 'Timing' }).getByText('provider error (status 500)').waitFor();
    await page.goto(new URL('/', page.url()).href);
    await page.getByText(`${account.email} is failing`).waitFor();
  });

  test('shows what each account served, with its cost over time and its requests', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await gateway.importAccount(gateway.provider.addAccount({ email: 'idle@example.com' }));
    await (await gateway.ask()).text();
    const [{ account_id: served }] = (await gateway.logs()) as [{ account_id: string }];
    const page = await visit({ path: '/accounts' });
    const row = page.getByRole('row').filter({ hasText: '1 request' });
    await row.waitFor();
    await page.getByRole('row').filter({ hasText: '0 requests' }).waitFor();
    await row.locator('button.name').click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('img', { name: /^Cost, last 7 days: \$[\d.]+\./ }).waitFor();
    await panel.getByRole('link', { name: 'Its requests' }).click();
    await page.waitForURL(new RegExp(`request-logs\\?accountId=${served}&since=`));
    await page.getByText('1 request matches').waitFor();
    await page.goBack();
    await panel.getByRole('link', { name: 'Usage by model' }).click();
    await page.getByRole('button', { name: /^Remove Account: / }).waitFor();
    await page.getByRole('region', { name: 'Table of groups' }).getByRole('link', { name: 'gpt-5.1' }).waitFor();
  });

  test('pauses, reactivates, signs in again, and deletes only after typing the name', async () => {
    const { gateway, visit } = await startJourney();
    const account = gateway.provider.addAccount({ email: 'ada@example.com' });
    const other = gateway.provider.addAccount({ email: 'grace@example.com' });
    await gateway.importAccount(account);
    const page = await visit({ path: '/accounts' });
    await act(page, account, 'Pause');
    await rowOf(page, account).getByText('Paused').waitFor();
    expect((await gateway.ask()).status).toBe(503);
    await page.getByRole('button', { name: 'Undo' }).click();
    await rowOf(page, account).getByText('Active').waitFor();
    expect((await gateway.ask()).status).toBe(200);

    await act(page, account, 'Sign in again');
    await page.getByRole('button', { name: /^Sign in with this browser/ }).click();
    const link = page.getByRole('link', { name: 'Open sign-in page' });
    await fetch(await signInAt((await link.getAttribute('href')) ?? '', other));
    await page.getByText('Sign-in failed.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await fetch(await signInAt((await link.getAttribute('href')) ?? '', account));
    await page.getByRole('heading', { name: 'Account signed in again' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();

    await act(page, account, 'Delete …');
    const sure = page.getByRole('button', { name: 'Delete account' });
    expect(await sure.isDisabled()).toBe(true);
    await page.getByLabel('Type ada@example.com to confirm').fill('ada@example.com');
    await sure.click();
    await page.getByRole('heading', { name: 'No accounts yet' }).waitFor();
    expect(gateway.events('AccountDeleted')).toHaveLength(1);
  });

  test('shows changes by others without a reload', async () => {
    const { gateway, visit } = await startJourney();
    const page = await visit({ path: '/accounts' });
    await page.getByRole('heading', { name: 'No accounts yet' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const account = gateway.provider.addAccount({ email: 'ada@example.com' });
    const id = await gateway.importAccount(account);
    await rowOf(page, account).getByText('Active').waitFor();
    await gateway.api('POST', `/api/accounts/${id}/pause`);
    await rowOf(page, account).getByText('Paused').waitFor();
  });
});
