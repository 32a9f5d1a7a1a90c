import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Instant } from '../../src/domain/core/brands.ts';
import { codeAt, PASSWORD } from '../support/browser.ts';
import { journeys, startJourney } from './support/journey.ts';

async function signIn(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
}
const codeNow = (secret: string, ahead = 0) => codeAt(secret, (Date.now() + ahead * 30_000) as Instant);

journeys('settings', () => {
  test('sets up two-factor authentication, requires it at the sign-in and turns it off', async () => {
    const { gateway, visit } = await startJourney();
    await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
    const page = await visit({ path: '/profile' });
    await signIn(page);
    await page.getByRole('button', { name: 'Set up', exact: true }).click();
    await page.getByRole('img', { name: /^QR code/ }).waitFor();
    const secret = ((await page.locator('code.secret').textContent()) ?? '').replaceAll(' ', '');
    await page.getByLabel('6-digit code').fill('000000');
    await page.getByText('The code is wrong.').waitFor();
    const first = codeNow(secret);
    await page.getByLabel('6-digit code').fill(first);
    await page.getByText('Two-factor authentication set up').waitFor();
    await page.getByRole('button', { name: 'Require at every sign-in' }).click();
    await page.getByRole('heading', { name: 'Two-factor authentication', level: 1 }).waitFor();
    // The code used for the set-up cannot be used again.
    await page.getByLabel('6-digit code').fill(first);
    await page.getByText('The code is wrong or was already used.').waitFor();
    await page.getByLabel('6-digit code').fill(codeNow(secret, 1));
    await page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();
    await page.getByText('2FA').waitFor();

    await page.getByRole('button', { name: 'Turn off …' }).click();
    await page.getByRole('button', { name: 'Turn off', exact: true }).click();
    await page.getByText('Not set up').waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await signIn(page);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  });

  test('shows sections side by side in a window of 2,560 pixels', async () => {
    const { visit } = await startJourney();
    const page = await visit({ path: '/settings', viewport: { width: 2_560, height: 1_440 } });
    const boxOf = async (name: string) => {
      const box = await page.getByRole('region', { name, exact: true }).boundingBox();
      if (!box) throw new Error(`${name} is not shown`);
      return box;
    };
    await page.getByRole('region', { name: 'Access', exact: true }).waitFor();
    const [routing, access, links] = [
      await boxOf('Routing'),
      await boxOf('Access'),
      await page.getByRole('link', { name: 'Change history' }).boundingBox(),
    ];
    expect([access.y, access.x >= routing.x + routing.width]).toEqual([routing.y, true]);
    expect(links?.x).toBe(routing.x);
    await page.setViewportSize({ width: 1_440, height: 900 });
    expect((await boxOf('Access')).x).toBe(routing.x);
  });

  test('saves every option immediately, with a notification and an undo', async () => {
    const { gateway, visit } = await startJourney();
    const page = await visit({ path: '/settings' });
    const stored = async () => (await gateway.api('GET', '/api/settings')).body;
    await page.getByRole('radio', { name: /^Round robin/ }).click();
    await page.getByText('Routing is now round robin').waitFor();
    expect(await stored()).toMatchObject({ routing_strategy: 'round_robin' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Change undone').waitFor();
    expect(await stored()).toMatchObject({ routing_strategy: 'usage_weighted' });

    for (const [name, field] of [
      ['Keep a conversation on one account', 'sticky_threads_enabled'],
      ['Prefer accounts that reset earlier', 'prefer_earlier_reset_accounts'],
      ['Skip existing accounts on import', 'import_without_overwrite'],
    ] as const) {
      const before = (await stored())[field];
      await page.getByRole('switch', { name }).click();
      await expect.poll(async () => (await stored())[field], { timeout: 5_000 }).toBe(!before);
    }
  });

  test('a password change ends the other sessions in the list', async () => {
    const { gateway, visit } = await startJourney();
    await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
    const page = await visit({ path: '/profile' });
    await signIn(page);
    const other = await visit({ path: '/firewall' });
    await signIn(other);
    await other.getByRole('heading', { name: 'Firewall', level: 1 }).waitFor();
    await page
      .getByRole('button', { name: /^Sign out Chrome/ })
      .first()
      .waitFor();

    await page.getByLabel('Current password', { exact: true }).fill('something else');
    await page.getByLabel('New password', { exact: true }).fill('battery staple');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The current password is wrong.').waitFor();
    await page.getByLabel('Current password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed').waitFor();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(new URL(other.url()).search).toBe('?next=%2Ffirewall');
    await page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();

    await page.getByRole('button', { name: 'Remove password …' }).click();
    await page.getByRole('dialog').getByLabel('Current password', { exact: true }).fill('battery staple');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove password' }).click();
    await page.getByText('No password is set.', { exact: true }).waitFor();
  });
});
