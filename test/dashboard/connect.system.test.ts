import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { journeys, startJourney } from './support/journey.ts';

const run = promisify(execFile);

journeys('connect', () => {
  test('copies configuration that works, with the origin of this installation', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const page = await visit({ path: '/connect', permissions: ['clipboard-read', 'clipboard-write'] });
    const address = new URL(gateway.url).origin;
    const copied: Record<string, string> = {};
    for (const client of ['Codex CLI', 'opencode', 'Python', 'TypeScript', 'curl']) {
      await page.getByRole('tab', { name: client }).click();
      const shown = page.getByRole('tabpanel', { name: client });
      await shown.getByRole('button', { name: /^Copy/ }).click();
      await shown.getByRole('status').getByText('Copied').waitFor();
      copied[client] = await page.evaluate('navigator.clipboard.readText()');
      expect(await shown.locator('pre').innerText(), client).toBe(copied[client]);
    }
    expect(copied['Codex CLI']).toContain(`base_url = "${address}/backend-api/svc"`);
    for (const client of ['opencode', 'Python', 'TypeScript', 'curl'])
      expect(copied[client]).toContain(`${address}/v1`);

    const { stdout } = await run('bash', ['-c', String(copied.curl)], { env: { PATH: process.env.PATH } });
    expect(stdout).toContain('output_text');
    expect(gateway.events('RequestCompleted')).toMatchObject([{ data: { status: '200' } }]);
  });

  test('names SVC_API_KEY in each snippet once keys are required', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const page = await visit({ path: '/connect' });
    await page.getByText('Keys are not required').waitFor();
    expect(await page.locator('pre').first().innerText()).not.toContain('env_key');
    await gateway.set({ api_key_auth_enabled: true });
    await page.getByText('Every request needs an API key.').waitFor();
    await page.getByText('env_key = "SVC_API_KEY"').waitFor();
    await page.getByRole('tab', { name: 'curl' }).click();
    await page.getByText('$SVC_API_KEY').waitFor();
  });
});
