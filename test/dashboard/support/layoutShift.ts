import type { Page } from 'playwright-core';

/** Cumulative layout shift of the page so far (web.dev/cls). */
export const layoutShiftOf = (page: Page): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
  new PerformanceObserver((list) => {
    resolve(list.getEntries().filter((entry) => !entry.hadRecentInput).reduce((sum, { value }) => sum + value, 0));
  }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(resolve, 500, 0);
})`);
