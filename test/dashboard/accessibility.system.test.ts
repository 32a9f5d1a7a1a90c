import { expect, test } from 'vitest';
import { ENTRIES, routes } from './support/everyPage.ts';
import { pagesIn } from './support/examinePages.ts';
import { journeys } from './support/journey.ts';

journeys('every page', () => {
  test.each(['light', 'dark'] as const)('has no axe violations in %s', { timeout: 300_000 }, async (colorScheme) => {
    const { violations } = await pagesIn(colorScheme);
    expect(violations).toEqual({});
  });

  test.each(['light', 'dark'] as const)(
    'shows the focus, even figures and exact times in %s',
    { timeout: 300_000 },
    async (colorScheme) => {
      const { unclear, looked } = await pagesIn(colorScheme);
      expect(unclear).toEqual({});
      expect(looked.controls).toBeGreaterThan(500);
      expect(looked.figures).toBeGreaterThan(1_000);
    },
  );

  test('fits windows from 360 to 3,840 pixels', { timeout: 300_000 }, async () => {
    expect((await pagesIn('light')).wide).toEqual({});
  });

  test('covers every page of the router', () => {
    expect(routes).toContain('/');
    expect(routes).toEqual(expect.arrayContaining(ENTRIES));
  });
});
