import { expect, test } from 'vitest';
import { journeys, startJourney } from './support/journey.ts';

journeys('last changes', () => {
  test('shows in the editors of a key and the settings who changed a field last, with its event', async () => {
    const { gateway, visit } = await startJourney();
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'agents' });
    await gateway.api('PATCH', `/api/api-keys/${key.id}`, { name: 'agents of the team' });
    await gateway.set({ routing_strategy: 'round_robin' });
    const page = await visit({ path: '/settings' });
    await page.getByText('Last changes by field').click();
    const fields = page.locator('details', { hasText: 'Last changes by field' });
    await fields.getByText('Strategy', { exact: true }).waitFor();
    expect(await fields.innerText()).toMatch(/Strategy\s.*by Built-in administrator at 127\.0\.0\.1/);
    expect(await fields.innerText()).toMatch(/Require an API key\s+default/);

    await page.goto(`${gateway.url}/api-keys`);
    await page.getByText('agents of the team').first().click();
    await page.getByText('Last changes by field').click();
    const name = page.locator('details dt', { hasText: /^Name$/ });
    await name.waitFor();
    await page.locator('details dd a').first().click();
    await page.waitForURL(/\/history\?event=\d+/);
    await page.getByText('agents of the team').first().waitFor();
  });
});
