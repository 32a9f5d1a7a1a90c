import { expect, test } from 'vitest';
import { PASSWORD } from '../support/browser.ts';
import { everyPage } from './support/everyPage.ts';
import { furnish } from './support/furnished.ts';
import { examineFigures, examineFocus } from './support/inPage.ts';
import { journeys, startJourney } from './support/journey.ts';
import { settled } from './support/settled.ts';

journeys('every control', () => {
  test.each(['light', 'dark'] as const)(
    'shows in %s that it has the focus, figures line up, and times are exact',
    { timeout: 300_000 },
    async (colorScheme) => {
      const { gateway, visit } = await startJourney();
      await furnish(gateway);
      await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: PASSWORD });
      const page = await visit({ path: '/sign-in', colorScheme, reducedMotion: 'reduce' });
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      const found: Record<string, readonly string[]> = { '/sign-in': (await examineFocus(page)).wrong };
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

      let controls = 0;
      let figures = 0;
      for (const { path, open } of everyPage(gateway)) {
        await page.goto(gateway.url + path);
        await settled(page);
        await open?.(page);
        await settled(page);
        // Before the focus goes round: it may close what is open.
        const shown = await examineFigures(page);
        const focused = await examineFocus(page);
        figures += shown.looked;
        controls += focused.looked;
        found[`${path}${open ? ` after ${open}` : ''}`] = [...shown.wrong, ...focused.wrong];
      }
      expect(Object.fromEntries(Object.entries(found).filter(([, wrong]) => wrong.length > 0))).toEqual({});
      expect(controls).toBeGreaterThan(500);
      expect(figures).toBeGreaterThan(1_000);
    },
  );
});
