import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { type Gateway, type GatewayOptions, startGateway } from '../../support/gateway.ts';
import { type OidcGateway, type OidcGatewayOptions, startOidcGateway } from '../../support/oidc/oidcGateway.ts';
import { headlessPath } from './chromium.ts';

/** Resolves to this machine, but the service treats clients that use it as remote. */
export const REMOTE_HOST = 'svc.test';

/** The names by which pages are opened. */
const OWN_HOSTS = ['127.0.0.1', 'localhost', REMOTE_HOST];

export interface Visit extends BrowserContextOptions {
  /** Of the page, or its whole address. */
  readonly path?: string;
  /** Opens the dashboard by a host name instead of the loopback address, as from another machine. */
  readonly isRemote?: boolean;
  /** Opens the dashboard by another name of this machine. */
  readonly hostname?: 'localhost';
}

export interface Journey {
  readonly gateway: Gateway;
  /** Opens the dashboard in its own browser context; visits share only the service. */
  visit(visit?: Visit): Promise<Page>;
}

let started: Promise<Browser> | undefined;

/** One browser per process; each visit has its own context. */
function sharedBrowser(): Promise<Browser> {
  started ??= chromium.launch({
    executablePath: headlessPath as string,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      `--host-resolver-rules=MAP ${REMOTE_HOST} 127.0.0.1`,
      // The headless shell would otherwise round glyph widths to whole pixels, unlike real browsers.
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

/** Starts a service for one test. */
export async function startJourney(options: GatewayOptions = {}): Promise<Journey> {
  const gateway = await startGateway({ accounts: 0, ...options });
  onTestFinished(() => gateway.stop());
  return { gateway, visit: (visit) => visitAt(gateway, visit) };
}

/** Starts a service with sign-in at an OpenID provider, which is another site. */
export async function startOidcJourney(options: OidcGatewayOptions): Promise<Journey & OidcGateway> {
  const started = await startOidcGateway(options);
  const visit = ({ path = '/', ...rest }: Visit = {}) =>
    visitAt(started.gateway, { path: new URL(path, started.publicUrl).href, ...rest });
  return { ...started, visit };
}

const TIMEOUT_MS = 15_000;

const DEFAULTS: BrowserContextOptions = {
  viewport: { width: 1280, height: 900 },
  locale: 'en-GB',
  // Animations cost CPU time without a GPU. `keyboard` and `everywhere` test with motion.
  reducedMotion: 'reduce',
};

/** Opens the dashboard of any service in its own browser context. */
export async function visitAt(
  { url: base }: Pick<Gateway, 'url'>,
  { path = '/', isRemote = false, hostname, ...options }: Visit = {},
): Promise<Page> {
  const browser = await sharedBrowser();
  const context = await browser.newContext({ ...DEFAULTS, ...options });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const problems = watchForProblems(page);
  onTestFinished(async () => {
    await context.close();
    expect(problems, 'problems in the browser').toEqual([]);
  });
  const url = new URL(path, base);
  if (isRemote) url.hostname = REMOTE_HOST;
  if (hostname) url.hostname = hostname;
  await page.goto(url.href);
  return page;
}

/** Collects exceptions, console errors and requests to other hosts, none of which a page may cause. */
function watchForProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`thrown: ${error.message}`));
  page.on('console', (message) => {
    // Browsers log every error status, which tests may provoke.
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) problems.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== 'data:' && !OWN_HOSTS.includes(hostname)) problems.push(`requested ${request.url()}`);
  });
  return problems;
}
