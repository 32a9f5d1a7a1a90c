import { expect, test } from 'vitest';
import { journeys, startJourney } from './support/journey.ts';

journeys('firewall', () => {
  test('warns before a change that blocks the operator’s own address', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const page = await visit({ path: '/firewall' });
    await page.getByRole('heading', { name: 'Every address may use the proxy' }).waitFor();
    const field = page.getByLabel('Add address');
    await field.fill('10.0.0.0/8');
    await page.getByText('Enter a single address').waitFor();
    expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
    await field.fill('10.0.0.1');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { name: 'This blocks your own address' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(gateway.events('IpAllowed')).toHaveLength(0);

    await page.getByRole('button', { name: 'Add my address (127.0.0.1)' }).click();
    await page.getByText('127.0.0.1 added').waitFor();
    await page.getByRole('heading', { name: 'Only listed addresses may use the proxy' }).waitFor();
    await field.fill('10.0.0.1');
    await page.keyboard.press('Enter');
    await page.getByText('10.0.0.1 added').waitFor();
    await field.fill('10.0.0.1');
    await page.getByText('This address is already on the allowlist.').waitFor();
    expect((await gateway.ask()).status).toBe(200);

    await page.getByRole('button', { name: 'Remove 127.0.0.1' }).click();
    await page.getByRole('heading', { name: 'This blocks your own address' }).waitFor();
    await page.getByRole('button', { name: 'Remove address' }).click();
    await page.getByText('127.0.0.1 removed').waitFor();
    expect((await gateway.ask()).status).toBe(403);
    await page.getByText('Your address, 127.0.0.1, is blocked.').waitFor();

    await page.getByRole('button', { name: 'Remove 10.0.0.1' }).click();
    await page.getByRole('heading', { name: 'This opens the proxy to all addresses' }).waitFor();
    await page.getByRole('button', { name: 'Remove address' }).click();
    await page.getByRole('heading', { name: 'Every address may use the proxy' }).waitFor();
    expect((await gateway.ask()).status).toBe(200);
  });
});
