import { expect, test } from 'vitest';
import { ENTRIES, routes } from './support/everyPage.ts';
import { pagesIn } from './support/examinePages.ts';
import { journeys } from './support/journey.ts';

journeys('every page', () => {
  test.each(['light', 'dark'] as const)('axe finds nothing in %s', { timeout: 300_000 }, async (colorScheme) => {
    const { violations } = await pagesIn(colorScheme);
    expect(violations).toEqual({});
  });

  test.each(['light', 'dark'] as const)(
    'every control shows in %s that it has the focus, figures line up, and times are exact',
    { timeout: 300_000 },
    async (colorScheme) => {
      const { unclear, looked } = await pagesIn(colorScheme);
      expect(unclear).toEqual({});
      expect(looked.controls).toBeGreaterThan(500);
      expect(looked.figures).toBeGreaterThan(1_000);
    },
  );

  test('no page is wider than a small phone, or than a wall', { timeout: 300_000 }, async () => {
    expect((await pagesIn('light')).wide).toEqual({});
  });

  test('the list of pages is that of the router', () => {
    expect(routes).toContain('/');
    expect(routes).toEqual(expect.arrayContaining(ENTRIES));
  });
});
