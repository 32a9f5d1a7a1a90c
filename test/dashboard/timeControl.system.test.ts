import { expect, test } from 'vitest';
import { waitOptions } from '../support/waitOptions.ts';
import { journeys, startJourney } from './support/journey.ts';

const NO_WRITES = 'You see an earlier moment. Return to now to change something.';

journeys('time control', () => {
  test('puts every page into the past, keeps the moment on the way, and returns to now', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await gateway.api('POST', '/api/api-keys', { name: 'early key' });
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
    const [then] = (await gateway.api('GET', '/api/history?limit=1')).body.events;
    await gateway.api('POST', '/api/api-keys', { name: 'late key' });
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '10.0.0.9' });
    expect((await gateway.ask()).status).toBe(200);
    const before = gateway.events('ApiKeyCreated').length;

    const page = await visit({ path: '/api-keys' });
    const banner = page.getByRole('region', { name: 'Earlier moment' });
    await page.getByRole('button', { name: 'late key' }).first().waitFor();
    expect(await banner.count()).toBe(0);
    const live = page.getByRole('complementary').getByRole('status');
    const dot = () =>
      page.evaluate(`getComputedStyle(document.querySelector('aside [role=status]'), '::before').backgroundColor`);
    await live.getByText('Live', { exact: true }).waitFor();
    const green = await dot();

    await page.keyboard.press('t');
    await page.getByLabel('Or position in the log').fill('four');
    await page.getByText('Enter a whole number.').waitFor();
    await page.getByLabel('Or position in the log').fill(String(then.position));
    await page.keyboard.press('Enter');
    await banner.getByText(`after event ${then.position}`).waitFor();
    await page.getByRole('button', { name: 'early key' }).first().waitFor();
    expect(await page.getByText('late key').count()).toBe(0);
    await page.waitForURL(new RegExp(`/api-keys\\?at=${then.position}$`));
    await live.getByText('Earlier moment').waitFor();
    expect(await dot()).not.toBe(green);

    // Nothing can be changed, and the page says why.
    const create = page.getByRole('button', { name: 'Create key' });
    expect([await create.isDisabled(), await create.getAttribute('title')]).toEqual([true, NO_WRITES]);
    await page.getByRole('button', { name: 'Actions for early key' }).click();
    expect(await page.getByRole('menuitem', { name: 'Delete …' }).getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'Firewall' }).click();
    await page.waitForURL(new RegExp(`/firewall\\?at=${then.position}$`));
    await page.getByText('127.0.0.1').first().waitFor();
    expect(await page.getByText('10.0.0.9').count()).toBe(0);
    await page.reload();
    await banner.getByText(`after event ${then.position}`).waitFor();
    expect(await page.getByText('10.0.0.9').count()).toBe(0);
    await page.getByRole('link', { name: 'Request log' }).click();
    await page
      .getByText(/No requests/)
      .first()
      .waitFor();

    await banner.getByRole('button', { name: 'Return to now' }).click();
    await page.waitForURL(/\/request-logs$/);
    await banner.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Firewall' }).click();
    await page.getByText('10.0.0.9').first().waitFor();
    expect(gateway.events('ApiKeyCreated')).toHaveLength(before);
  });

  test('says what is wrong with a link to a moment that does not exist', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const page = await visit({ path: '/accounts?at=tomorrow' });
    const banner = page.getByRole('region', { name: 'Earlier moment' });
    await banner.getByText('“tomorrow” at must be a position of the log or an ISO 8601 time').waitFor();
    await page.goto(`${gateway.url}/usage?at=99999999`);
    await banner.getByText(/^Position 99999999 at lies beyond the log, which ends at \d+/).waitFor();
    await banner.getByRole('button', { name: 'Return to now' }).click();
    await page.waitForURL(/\/usage$/);
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
  });

  test('steps event by event with keys, up to the last event', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
    const [then] = (await gateway.api('GET', '/api/history?limit=1')).body.events;
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '10.0.0.9' });
    const last = (await gateway.api('GET', '/api/history?limit=1')).body.events[0].position;

    const page = await visit({ path: `/firewall?at=${then.position}` });
    const banner = page.getByRole('region', { name: 'Earlier moment' });
    await banner.getByText(`after event ${then.position}`).waitFor();
    expect(await page.getByText('10.0.0.9').count()).toBe(0);
    for (let position = then.position + 1; position <= last; position++) {
      await page.keyboard.press(']');
      await banner.getByText(`after event ${position}`).waitFor();
    }
    await page.getByRole('cell', { name: '10.0.0.9' }).or(page.getByText('10.0.0.9').first()).first().waitFor();
    await page.keyboard.press(']');
    await page.getByText('This is the last event').waitFor();
    await page.keyboard.press('[');
    await banner.getByText(`after event ${last - 1}`).waitFor();

    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.getByText('Next event, at an earlier moment').waitFor();
  });

  test('shows the moment of an event of the history, and says what has no past', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
    const [then] = (await gateway.api('GET', '/api/history?limit=1')).body.events;
    await gateway.api('POST', '/api/firewall/ips', { ip_address: '10.0.0.9' });

    const page = await visit({ path: '/history' });
    await page.getByRole('button', { name: '127.0.0.1 may use the proxy' }).click();
    await page.getByRole('link', { name: 'Show this moment on every page' }).click();
    await page.waitForURL(new RegExp(`/\\?at=${then.position}$`));
    const banner = page.getByRole('region', { name: 'Earlier moment' });
    await banner.getByText('127.0.0.1 may use the proxy').waitFor();
    await page.getByRole('link', { name: /Your account/ }).click();
    await page.getByText('No sessions at this moment').waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.locator('main').getByRole('switch').first().waitFor();
    for (const control of await page.locator('main').getByRole('switch').all()) {
      expect(await control.isDisabled()).toBe(true);
    }
    await page.getByRole('link', { name: 'Integrity' }).click();
    await page
      .getByText(/This part has no past: archives are files/)
      .first()
      .waitFor();
  });

  test('shows the moment at the end of a step of a chart, and of a row of its table', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await gateway.api('POST', '/api/api-keys', { name: 'early key' });
    await (await gateway.ask()).text();
    const page = await visit();
    const banner = page.getByRole('region', { name: 'Earlier moment' });
    const chart = page.getByRole('figure').filter({ hasText: 'Requests' }).locator('.u-over');
    const hovered = page.getByRole('figure').filter({ hasText: 'Requests' }).locator('.when');
    const pick = async (share: number) => {
      // What stands above the chart has loaded, so that it no longer moves under the pointer.
      await page.getByText('Nothing needs attention').waitFor();
      await page.getByRole('link', { name: /^Available accounts 1 of 1/ }).waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      const { width = 0, height = 0 } = (await chart.boundingBox()) ?? {};
      const position = { x: width * share, y: height / 2 };
      await chart.hover({ position });
      await expect.poll(() => hovered.textContent(), waitOptions).toMatch(/\d\d:\d\d/);
      await chart.click({ modifiers: ['Shift'], position });
      await page.waitForURL(/[?&]at=/);
      return decodeURIComponent(new URL(page.url()).searchParams.get('at') ?? '');
    };

    // The last step has not ended: its moment is now, before the next key.
    const last = await pick(0.999);
    await banner.getByText(/after event \d+/).waitFor();
    expect(Date.parse(last)).toBeLessThanOrEqual(Date.now());
    await gateway.api('POST', '/api/api-keys', { name: 'late key' });
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'early key' }).first().waitFor();
    expect(await page.getByText('late key').count()).toBe(0);
    await banner.getByRole('button', { name: 'Return to now' }).click();
    await page.getByRole('button', { name: 'late key' }).first().waitFor();

    // A step that ended before anything had happened.
    await page.goto(gateway.url);
    await chart.waitFor();
    const hoursAgo = (Date.now() - Date.parse(await pick(0.5))) / 3_600_000;
    expect(hoursAgo).toBeGreaterThan(11);
    expect(hoursAgo).toBeLessThan(13);
    await banner.getByText('before the first event').waitFor();
    await banner.getByRole('button', { name: 'Return to now' }).click();

    // The same without a pointer.
    await page.getByText('Data as a table, by the hour').click();
    await page
      .getByRole('link', { name: /^Show moment at the end of / })
      .first()
      .press('Enter');
    await page.waitForURL(/\?at=/);
    await banner.getByText(/after event \d+/).waitFor();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'early key' }).first().waitFor();
  });

  test('shows the moment of a point of a sparkline', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await (await gateway.ask()).text();
    const page = await visit();
    const sparkline = page.getByRole('img', { name: 'Primary window, remaining over the last 7 days' });
    const banner = page.getByRole('region', { name: 'Earlier moment' });
    const pick = async (share: number) => {
      const { width = 0, height = 0 } = (await sparkline.boundingBox()) ?? {};
      await sparkline.click({ position: { x: width * share, y: height / 2 } });
      await page.waitForURL(/[?&]at=/);
      return Date.now() - Date.parse(decodeURIComponent(new URL(page.url()).searchParams.get('at') ?? ''));
    };
    const days = (await pick(0.5)) / 86_400_000;
    expect(days).toBeGreaterThan(3.3);
    expect(days).toBeLessThan(3.7);
    await banner.getByText('before the first event').waitFor();
    await banner.getByRole('button', { name: 'Return to now' }).click();
    expect(await pick(0.99)).toBeLessThan(2 * 3_600_000);
  });

  test('refuses to send a change from a page that shows an earlier moment', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const [then] = (await gateway.api('GET', '/api/history?limit=1')).body.events;
    const page = await visit({ path: `/?at=${then.position}` });
    await page.getByRole('region', { name: 'Earlier moment' }).waitFor();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`);
    });
    for (const path of ['/accounts', '/api-keys?new', '/firewall', '/settings', '/integrity']) {
      await page.goto(new URL(`${path}${path.includes('?') ? '&' : '?'}at=${then.position}`, gateway.url).href);
      await page.getByRole('region', { name: 'Earlier moment' }).waitFor();
      for (const each of await page.locator('button:enabled:visible').all()) {
        const name = (await each.textContent())?.trim() ?? '';
        expect(name, path).not.toMatch(
          /^(Add(?! limit)|Create|Delete|Place hold|Lift|Remove|Set up|Turn off|Archive|Verify|Save)/,
        );
      }
    }
    expect(sent).toEqual([]);
  });
});
