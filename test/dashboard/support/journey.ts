import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { type Gateway, type GatewayOptions, startGateway } from '../../support/gateway.ts';
import { headlessPath } from './chromium.ts';

/** A name that leads to this machine, but that the service takes for somewhere else. */
export const AWAY = 'svc.test';

export interface Visit extends BrowserContextOptions {
  readonly path?: string;
  /** Come by a name instead of the loopback address, as from another machine. */
  readonly fromAway?: boolean;
}

export interface Journey {
  readonly gateway: Gateway;
  /** Opens the dashboard in a browser of its own: nothing is shared but the service. */
  visit(visit?: Visit): Promise<Page>;
}

let started: Promise<Browser> | undefined;

/** One browser for all files that share this process; it ends with the process. What a test does stays in its context. */
function theBrowser(): Promise<Browser> {
  started ??= chromium.launch({
    executablePath: headlessPath as string,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      `--host-resolver-rules=MAP ${AWAY} 127.0.0.1`,
      // Without windows, letters would be as wide as whole pixels, which is not how anybody sees them.
      '--font-render-hinting=none',
    ],
  });
  return started;
}

/** Tests in a real browser, against the real service in front of the simulated provider. */
export function journeys(name: string, body: () => void): void {
  describe.skipIf(headlessPath === undefined)(`${name} (needs chromium)`, () => {
    vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });
    body();
  });
}

/** A service of its own for one test. */
export async function startJourney(options: GatewayOptions = {}): Promise<Journey> {
  const gateway = await startGateway({ accounts: 0, ...options });
  onTestFinished(() => gateway.stop());
  return { gateway, visit: (visit) => visitAt(gateway, visit) };
}

const PATIENCE_MS = 15_000;

const USUAL: BrowserContextOptions = {
  viewport: { width: 1280, height: 900 },
  locale: 'en-GB',
  // Without a graphics card each frame of a movement is work for the processor. `keyboard` and `everywhere` come with it.
  reducedMotion: 'reduce',
};

async function visitAt(gateway: Gateway, { path = '/', fromAway = false, ...options }: Visit = {}): Promise<Page> {
  const browser = await theBrowser();
  const context = await browser.newContext({ ...USUAL, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const wrong = complaintsOf(page);
  onTestFinished(async () => {
    await context.close();
    expect(wrong, 'the browser complained').toEqual([]);
  });
  const url = new URL(path, gateway.url);
  if (fromAway) url.hostname = AWAY;
  await page.goto(url.href);
  return page;
}

/** What a page must never do: throw, break the policy, ask another host for anything. */
function complaintsOf(page: Page): string[] {
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(`thrown: ${error.message}`));
  page.on('console', (message) => {
    // A refusal is an answer, and a browser says so each time.
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) wrong.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== '127.0.0.1' && hostname !== AWAY) wrong.push(`asked ${request.url()}`);
  });
  return wrong;
}
