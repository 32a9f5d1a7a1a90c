import { expect, test, vi } from 'vitest';
import { startReceiver } from '../../src/alerts/alertStage.support.ts';
import { journeys, startJourney } from './support/journey.ts';

journeys('alerts', () => {
  test('a webhook is added, tested, notified of a lost account, and removed', async () => {
    const [receiver, { gateway, visit }] = await Promise.all([startReceiver(), startJourney({ accounts: 1 })]);
    const page = await visit({ path: '/alerts' });
    await page.getByRole('heading', { name: 'No alert yet' }).waitFor();
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const form = page.getByRole('dialog', { name: 'Add a webhook' });
    await form.getByRole('button', { name: 'Add webhook' }).click();
    await form.getByText('Enter a name.').waitFor();
    await form.getByLabel('Name').fill('On-call');
    await form.getByLabel('URL').fill('http://169.254.169.254/latest');
    await form.getByRole('button', { name: 'Add webhook' }).click();
    await form.getByText('link-local or metadata address').waitFor();
    await form.getByLabel('URL').fill(`${receiver.url}?a-secret`);
    await form.getByRole('button', { name: 'Add webhook' }).click();
    const secret = page.getByRole('dialog', { name: 'The secret of On-call' });
    expect(await secret.getByLabel('Secret', { exact: true }).textContent()).toMatch(/^whsec_/);
    // It is shown once, so Escape does not close it.
    await page.keyboard.press('Escape');
    await secret.getByRole('button', { name: 'Done, I copied it' }).click();
    const row = page.getByRole('row', { name: /On-call/ });
    await row.getByText('not notified yet').waitFor();
    expect(await page.content()).not.toContain('a-secret');

    await row.getByRole('button', { name: 'Actions for On-call' }).click();
    await page.getByRole('menuitem', { name: 'Send test notification' }).click();
    await page.getByText('On-call took the test notification').waitFor();
    expect(receiver.received).toHaveLength(1);

    const account = gateway.pool[0]?.at;
    account?.expireAccessToken();
    if (account) account.token = { status: 401, error: 'refresh_token_reused' };
    await (await gateway.ask()).text();
    await page
      .getByRole('row', { name: /Account lost/ })
      .getByText('it lasts')
      .waitFor();
    await vi.waitFor(() => expect(receiver.types()).toContain('alert.raised account_lost'), {
      timeout: 30_000,
      interval: 50,
    });
    await row.getByText('works', { exact: true }).waitFor();

    await row.getByRole('button', { name: 'Actions for On-call' }).click();
    await page.getByRole('menuitem', { name: 'Remove …' }).click();
    await page.getByRole('button', { name: 'Remove webhook' }).click();
    await page.getByText('On-call removed').waitFor();
    await page.getByText('There is none.').waitFor();
  });
});
