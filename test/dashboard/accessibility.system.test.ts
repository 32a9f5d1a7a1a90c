import { expect, test } from 'vitest';
import { ENTRY_PAGES, routes } from './support/everyPage.ts';
import { findingsIn } from './support/examinePages.ts';
import { journeys } from './support/journey.ts';

journeys('every page', () => {
  test.each(['light', 'dark'] as const)('has no axe violations in %s', { timeout: 600_000 }, async (colorScheme) => {
    const { violations } = await findingsIn(colorScheme);
    expect(violations).toEqual({});
  });

  test.each(['light', 'dark'] as const)(
    'shows the focus, even figures and exact times in %s',
    { timeout: 600_000 },
    async (colorScheme) => {
      const { unmarked, examined } = await findingsIn(colorScheme);
      expect(unmarked).toEqual({});
      expect(examined.controls).toBeGreaterThan(500);
      expect(examined.figures).toBeGreaterThan(1_000);
    },
  );

  test('fits windows from 360 to 3,840 pixels', { timeout: 600_000 }, async () => {
    expect((await findingsIn('light')).wide).toEqual({});
  });

  test('covers every page of the router', () => {
    expect(routes).toContain('/');
    expect(routes).toEqual(expect.arrayContaining(ENTRY_PAGES));
  });
});
