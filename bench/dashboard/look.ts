import type { Browser, BrowserContext } from 'playwright-core';

/** A browser that has just started is busy with itself. */
const SETTLING_MS = 1_000;

/** A page, and what shows that its content is there. */
export interface Target {
  readonly name: string;
  readonly path: string;
  readonly content: string;
}

/** Milliseconds since the navigation began. */
export interface Seen {
  /** What the page is for, painted. */
  readonly content: number;
  /** What was asked for in between: when it was sent and when it was answered. */
  readonly asked: readonly {
    readonly what: string;
    readonly sent: number;
    readonly answered: number;
    readonly kB: number;
  }[];
}

/** Runs in the page from its very beginning: writes down when the content has been painted. */
const watch = (content: string) => `window.painted = new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    if (!document.querySelector(${JSON.stringify(content)})) return;
    observer.disconnect();
    // The second frame begins when the first has been handed over.
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
  });
  observer.observe(document, { childList: true, subtree: true });
})`;

const SEEN = `painted.then((content) => ({
  content,
  asked: [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map((entry) => ({
    what: new URL(entry.name).pathname, sent: entry.startTime, answered: entry.responseEnd, kB: entry.transferSize / 1000,
  })),
}))`;

/** Opens the page in a new tab and waits until its content has been painted. */
export async function look(context: BrowserContext, base: string, { path, content }: Target): Promise<Seen> {
  const page = await context.newPage();
  await page.addInitScript(watch(content));
  await page.waitForTimeout(SETTLING_MS);
  await page.goto(base + path, { waitUntil: 'commit' });
  const seen = (await page.evaluate(SEEN)) as Seen;
  await page.close();
  return seen;
}

/** A window with nothing in its cache, signed in. */
export async function signedIn(browser: Browser, base: string, password: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  const answer = await context.request.post(`${base}/api/dashboard-auth/password/login`, { data: { password } });
  if (!answer.ok()) throw new Error(`not signed in: ${answer.status()} ${await answer.text()}`);
  return context;
}
