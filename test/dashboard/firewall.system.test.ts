import { expect, test } from 'vitest';
import { journeys, startJourney } from './support/journey.ts';

journeys('firewall', () => {
  test('somebody who would shut themselves out is warned, and their own address is offered', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const page = await visit({ path: '/firewall' });
    await page.getByRole('heading', { name: 'Every address may use the proxy' }).waitFor();
    const field = page.getByLabel('Add an address');
    await field.fill('10.0.0.0/8');
    await page.getByText('One address at a time').waitFor();
    expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
    await field.fill('10.0.0.1');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { name: 'This shuts you out of the proxy' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(gateway.events('IpAllowed')).toHaveLength(0);

    await page.getByRole('button', { name: 'Add mine (127.0.0.1)' }).click();
    await page.getByText('127.0.0.1 may use the proxy').waitFor();
    await page.getByRole('heading', { name: 'Only listed addresses may use the proxy' }).waitFor();
    await field.fill('10.0.0.1');
    await page.keyboard.press('Enter');
    await page.getByText('10.0.0.1 may use the proxy').waitFor();
    await field.fill('10.0.0.1');
    await page.getByText('This address is on the list already.').waitFor();
    expect((await gateway.ask()).status).toBe(200);

    await page.getByRole('button', { name: 'Remove 127.0.0.1' }).click();
    await page.getByRole('heading', { name: 'This shuts you out of the proxy' }).waitFor();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('127.0.0.1 is removed').waitFor();
    expect((await gateway.ask()).status).toBe(403);
    await page.getByText('Yours, 127.0.0.1, is not among them.').waitFor();

    await page.getByRole('button', { name: 'Remove 10.0.0.1' }).click();
    await page.getByRole('heading', { name: 'This opens the proxy to everybody' }).waitFor();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByRole('heading', { name: 'Every address may use the proxy' }).waitFor();
    expect((await gateway.ask()).status).toBe(200);
  });
});
