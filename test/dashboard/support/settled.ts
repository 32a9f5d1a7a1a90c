import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Waits until nothing is loading. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
  await expect.poll(() => page.locator('.skeleton, :root[data-loading]').count(), { timeout: 20_000 }).toBe(0);
  await page.evaluate('document.fonts.ready');
}
