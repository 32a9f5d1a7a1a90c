import { expect, onTestFinished, test, vi } from 'vitest';
import { validRequest } from '../support/gateway.ts';
import { journeys, startJourney } from './support/journey.ts';

const DAY_MS = 86_400_000;

journeys('clock', () => {
  test('accepts the clock from the overview after it was ahead', async () => {
    const { gateway, visit } = await startJourney({ accounts: 1 });
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000_000 }];
    const { body: key } = await gateway.api('POST', '/api/api-keys', { name: 'laptop', limits });
    await gateway.set({ api_key_auth_enabled: true });
    const now = Date.now.bind(Date);
    const ahead = vi.spyOn(Date, 'now').mockImplementation(() => now() + 3 * DAY_MS);
    onTestFinished(() => ahead.mockRestore());
    const response = await gateway.ask(validRequest, { headers: { authorization: `Bearer ${key.key}` } });
    await response.text();
    expect(response.status).toBe(200);
    ahead.mockRestore();

    const page = await visit();
    const item = page.getByRole('listitem').filter({ hasText: 'Limits are ahead of the clock' });
    await item.getByText(/3 days behind the time up to which limits have counted/).waitFor();
    await item.getByRole('button', { name: /^Accept clock/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept clock' }).click();
    await page.getByText('Clock accepted').waitFor();
    await item.waitFor({ state: 'detached' });
    expect(gateway.events('ClockAccepted')).toHaveLength(1);
    const { limits: shown } = (await gateway.api('GET', '/api/api-keys')).body[0];
    expect(Date.parse(shown[0].reset_at) - Date.now()).toBeLessThan(DAY_MS);
  });
});
