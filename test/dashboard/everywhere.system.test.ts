import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PASSWORD } from '../support/browser.ts';
import { validRequest } from '../support/gateway.ts';
import { noResponse } from '../support/provider/scripts.ts';
import { journeys, startJourney } from './support/journey.ts';

/** Everything that scripts of the page can store in the browser. */
const KEPT = `(async () => ({
  local: { ...localStorage },
  session: { ...sessionStorage },
  databases: (await indexedDB.databases()).map(({ name }) => name),
  caches: await caches.keys(),
  cookies: document.cookie,
}))()`;
/** A browser without reduced motion. */
const moving = { reducedMotion: 'no-preference' } as const;

const titleOf = (page: Page, text: RegExp) =>
  page.locator('time').filter({ hasText: text }).first().getAttribute('title');

journeys('all pages', () => {
  test('stores no secret where scripts can read it', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
    const page = await visit({ ...moving, path: '/sign-in' });
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.getByRole('link', { name: 'API keys', exact: true }).click();
    await page.getByRole('button', { name: 'Create your first key' }).click();
    await page.getByLabel('Name').fill('laptop');
    await page.keyboard.press('Enter');
    await page.getByLabel('API key', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Done, I copied it' }).click();
    await page.getByRole('link', { name: /^Your account/ }).click();
    await page.getByRole('button', { name: 'Set up' }).click();
    const secret = (await page.locator('code.secret').textContent())?.replaceAll(' ', '') ?? '';
    expect(secret).toMatch(/^[A-Z2-7]{16,}$/);
    expect(JSON.stringify(await page.evaluate(KEPT))).not.toContain(secret);
    await page.keyboard.press('Escape');
    await page.getByRole('radio', { name: 'Dark' }).click();
    expect(await page.evaluate(KEPT)).toEqual({
      // The font's file, once the browser has it.
      local: { 'svc-theme': 'dark', 'svc-font': expect.stringMatching(/\.woff2$/) },
      session: expect.any(Object),
      databases: [],
      caches: [],
      cookies: '',
    });
    expect(JSON.stringify(await page.evaluate(KEPT))).not.toMatch(new RegExp(`sk-svc|correct horse|${secret}`));
  });

  test('runs only its own scripts and requests nothing from other origins', async () => {
    const { gateway } = await startJourney();
    const answer = await fetch(gateway.url, { headers: { accept: 'text/html' } });
    const policy = new Map(
      (answer.headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
        const [name = '', ...sources] = directive.split(' ');
        return [name, sources];
      }),
    );
    expect(policy.get('default-src')).toEqual(["'none'"]);
    const scripts = policy.get('script-src') ?? [];
    expect(scripts).toContain("'self'");
    expect(scripts.every((source) => source === "'self'" || /^'sha256-[\w+/]+=*'$/.test(source))).toBe(true);
    for (const [name, sources] of policy) expect([name, ...sources].join(' ')).not.toMatch(/\*|https?:|unsafe-eval/);
    const linked = [...(await answer.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
    expect(linked.length).toBeGreaterThan(5);
    expect(linked.filter((path) => !path?.startsWith('/') || path.startsWith('//'))).toEqual([]);
  });

  test('shows relative times, with the exact time in the viewer’s zone on hover', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    await (await gateway.ask()).text();
    const page = await visit({ ...moving, timezoneId: 'Asia/Tokyo' });
    await page.getByRole('region', { name: 'Recent requests' }).locator('time').first().waitFor();
    expect(await titleOf(page, /ago|just now/)).toMatch(/^\w{3}, \d{1,2} \w{3,4} \d{4}, \d\d:\d\d:\d\d GMT\+9$/);
  });

  test('the palette finds accounts and keys by name and opens them', async () => {
    const { gateway, visit } = await startJourney({ accounts: 2 });
    await gateway.api('POST', '/api/api-keys', { name: 'design team' });
    const page = await visit({ ...moving, path: '/settings' });
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search pages').fill('design');
    await page.getByRole('option', { name: 'design team' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'design team' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search pages').fill(gateway.pool[1]?.at.email ?? '');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: gateway.pool[1]?.at.email ?? '' }).waitFor();
  });

  test('imports files dropped on the page', async () => {
    const { gateway, visit } = await startJourney();
    const account = gateway.provider.addAccount({ email: 'ada@example.com' });
    const page = await visit({ ...moving, path: '/accounts?add=import' });
    const dropped = await page.evaluateHandle(
      `(() => {
        const data = new DataTransfer();
        data.items.add(new File([${JSON.stringify(JSON.stringify(account.authFile()))}], 'auth.json'));
        return data;
      })()`,
    );
    const place = page.getByText('Drop auth files here');
    await place.dispatchEvent('dragover', { dataTransfer: dropped });
    await place.dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('Imported, plus').waitFor();
    expect(gateway.events('AccountImported')).toHaveLength(1);
  });

  test('shows the reservation of an open request apart, with the next reset', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000_000 }];
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'laptop', limits });
    await gateway.set({ api_key_auth_enabled: true });
    gateway.pool[0]?.at.next(noResponse());
    const controller = new AbortController();
    const asked = gateway
      .ask(validRequest, { headers: { authorization: `Bearer ${key.key}` }, signal: controller.signal })
      .catch(() => undefined);
    await expect.poll(() => gateway.pool[0]?.at.inFlight).toBe(1);
    const page = await visit({ ...moving, path: `/api-keys?key=${key.id}` });
    await page.getByText(/tokens reserved by open requests/).waitFor();
    await page
      .getByText(/resets in (1d|23h 59m)/)
      .first()
      .waitFor();
    controller.abort();
    await asked;
    await page.getByText(/tokens reserved by open requests/).waitFor({ state: 'detached', timeout: 20_000 });
  });

  test('reports an unreachable service and keeps the loaded data', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const page = await visit({ ...moving, path: '/accounts' });
    await page.getByText('Live', { exact: true }).waitFor();
    await gateway.stopService();
    await page.getByText('Not connected').waitFor();
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Pause' }).click();
    await page.getByText('The service does not respond').first().waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
  });
});
