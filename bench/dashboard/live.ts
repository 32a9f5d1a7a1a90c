import type { Browser, Page } from 'playwright-core';
import { signIn } from './visit.ts';

/** What an open page costs while requests arrive. */
export interface LiveCost {
  /** CPU of all processes of the browser, as a share of one core. */
  readonly cores: number;
  /** Before and after: nodes of the document, and megabytes of the heap after a collection. */
  readonly nodes: readonly [number, number];
  readonly heapMb: readonly [number, number];
}

const SETTLE_MS = 3_000;

/** Opens a page in a browser of its own and leaves it open while requests arrive. */
export async function observe(
  browser: Browser,
  base: string,
  path: string,
  password: string,
  ms: number,
): Promise<LiveCost> {
  const context = await signIn(browser, base, password);
  const page = await context.newPage();
  await page.goto(base + path);
  await page.locator('h1').first().waitFor();
  await page.waitForTimeout(SETTLE_MS);
  const before = await sizeOf(page);
  const [cpuBefore, startedAt] = [await cpuSeconds(browser), performance.now()];
  await page.waitForTimeout(ms);
  const cores = ((await cpuSeconds(browser)) - cpuBefore) / ((performance.now() - startedAt) / 1_000);
  const after = await sizeOf(page);
  return { cores, nodes: [before.nodes, after.nodes], heapMb: [before.heapMb, after.heapMb] };
}

/** CPU of all processes of a browser so far, in seconds. */
async function cpuSeconds(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

async function sizeOf(page: Page): Promise<{ nodes: number; heapMb: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const nodes = Number(await page.evaluate('document.getElementsByTagName("*").length'));
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return { nodes, heapMb: usedSize / 1_000_000 };
}
