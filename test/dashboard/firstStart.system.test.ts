import { expect, test } from 'vitest';
import { PASSWORD } from '../support/browser.ts';
import { journeys, startJourney } from './support/journey.ts';

journeys('first start', () => {
  test('leads from an empty installation to the first request', async () => {
    const { gateway, visit } = await startJourney();
    const account = gateway.provider.addAccount({ email: 'ada@example.com' });
    const page = await visit();
    await page.getByText('No password is set.').waitFor();
    await page.getByRole('link', { name: 'Set a password' }).first().click();
    await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Password set. You are signed in.').waitFor();

    await page.getByRole('link', { name: 'Accounts', exact: true }).first().click();
    await page.getByRole('button', { name: 'Import auth files' }).click();
    await page
      .getByLabel('Auth files', { exact: true })
      .setInputFiles([
        { name: 'auth.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(account.authFile())) },
      ]);
    await page.getByText('Imported, plus').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('switch', { name: 'Require an API key' }).click();
    await page.getByRole('heading', { name: 'No active API key' }).waitFor();
    await page.getByRole('button', { name: 'Require keys anyway' }).click();
    await page.getByText('API keys are now required').waitFor();

    await page.getByRole('link', { name: 'API keys', exact: true }).click();
    await page.getByRole('button', { name: 'Create your first key' }).click();
    await page.getByLabel('Name').fill('laptop');
    await page.keyboard.press('Enter');
    const key = (await page.getByLabel('API key', { exact: true }).textContent()) ?? '';
    await page.getByRole('tab', { name: 'curl' }).click();
    const command = (await page.getByRole('region', { name: 'curl' }).textContent()) ?? '';
    await page.getByRole('button', { name: 'Done, I copied it' }).click();

    const answer = await runCurl(command, key);
    expect(answer.status).toBe(200);
    await page
      .getByRole('row')
      .filter({ hasText: 'laptop' })
      .getByText(/just now|seconds? ago/)
      .waitFor();
  });
});

/** Sends the request of the curl command on the page, without curl. */
async function runCurl(command: string, key: string): Promise<Response> {
  const line = command.replaceAll('\\\n', ' ').replace('$SVC_API_KEY', key);
  const [, url = ''] = /curl -s (\S+)/.exec(line) ?? [];
  const headers = [...line.matchAll(/-H ['"]([^:]+): ([^'"]+)['"]/g)].map(
    ([, name, value]) => [name, value] as [string, string],
  );
  const [, body = ''] = /-d '(.*)'/.exec(line) ?? [];
  return fetch(url, { method: 'POST', headers, body });
}
