import type { Browser, BrowserContext, Page } from 'playwright-core';

/** Time that a tab gets to become idle before the navigation. */
const IDLE_DELAY_MS = 1_000;
const AFTER_CONTENT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

/** A page of the dashboard. `content` is the selector of its main content. */
export interface Target {
  readonly name: string;
  readonly path: string;
  readonly content: string;
}

/** Times of a visit, in milliseconds since the start of the navigation. */
export interface PageVisit {
  /** When the main content was painted. */
  readonly contentMs: number;
  /** When the largest element was painted (LCP). */
  readonly lcpMs: number;
  /** Requests of the page: when each was sent, and when its response was complete. */
  readonly requests: readonly {
    readonly path: string;
    readonly sent: number;
    readonly received: number;
    readonly kB: number;
  }[];
}

/** A line between browser and service. */
export interface Line {
  readonly bytesPerSecond: number;
  readonly latencyMs: number;
}

/** Script that runs in the page before its own: `window.painted` resolves when the content has been painted. */
const observeContent = (content: string) => `window.largest = [];
new PerformanceObserver((list) => {
  for (const { startTime } of list.getEntries()) largest.push(startTime);
}).observe({ type: 'largest-contentful-paint', buffered: true });
window.painted = new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    if (!document.querySelector(${JSON.stringify(content)})) return;
    observer.disconnect();
    // The second frame begins when the first has been painted.
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
  });
  observer.observe(document, { childList: true, subtree: true });
})`;

const READ_VISIT = `painted.then(async (contentMs) => {
  // What is painted soon afterwards may be larger.
  await new Promise((resolve) => setTimeout(resolve, ${AFTER_CONTENT_MS}));
  return contentMs;
}).then((contentMs) => ({
  contentMs,
  lcpMs: Math.max(0, ...window.largest),
  requests: [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map((entry) => ({
    path: new URL(entry.name).pathname, sent: entry.startTime, received: entry.responseEnd, kB: entry.transferSize / 1000,
  })),
}))`;

/** Opens the page in a new tab and waits until its content has been painted. */
export async function visit(
  context: BrowserContext,
  base: string,
  { path, content }: Target,
  line?: Line,
): Promise<PageVisit> {
  const page = await context.newPage();
  if (line) await slowDown(page, line);
  await page.addInitScript(observeContent(content));
  await page.waitForTimeout(IDLE_DELAY_MS);
  await page.goto(base + path, { waitUntil: 'commit' });
  // A selector of earlier times would wait without an end.
  await page.waitForSelector(content, { state: 'attached', timeout: MAX_WAIT_MS });
  const result = (await page.evaluate(READ_VISIT)) as PageVisit;
  await page.close();
  return result;
}

/** @returns a signed-in browser context with an empty cache */
export async function signIn(browser: Browser, base: string, password: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  const response = await context.request.post(`${base}/api/dashboard-auth/password/login`, { data: { password } });
  if (!response.ok()) throw new Error(`sign-in failed: ${response.status()} ${await response.text()}`);
  return context;
}

async function slowDown(page: Page, { bytesPerSecond, latencyMs }: Line): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
}
