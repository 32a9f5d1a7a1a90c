import { expect, test } from 'vitest';
import { addressOf, type Browser, browser, logIn, requireTotp, setUp } from '../../test/support/browser.ts';
import { type Stage, startManagement } from '../../test/support/management.ts';
import { endpointsOf } from './http/describeRoute.ts';

interface Route {
  readonly method: string;
  /** With something in the place of each parameter. */
  readonly path: string;
}

/** Every route there is, whoever added it. */
function routesOf(stage: Stage): Route[] {
  const { endpoints, undocumented } = endpointsOf(stage.management);
  return [...endpoints, ...undocumented].map(({ method, path }) => ({
    method: method.toUpperCase(),
    path: path.replace(/\{\w+\}/g, '1'),
  }));
}

/** What answers without a session, and why. Whatever is not here is closed. */
const OPEN: Readonly<Record<string, string>> = {
  'GET /health': 'says only that the process runs',
  'GET /api/dashboard-auth/session': 'tells a page what to show',
  'POST /api/dashboard-auth/password/setup': 'refuses by itself once there is a password',
  'POST /api/dashboard-auth/password/login': 'takes the password',
  'POST /api/dashboard-auth/logout': 'ends what there is',
};
/** What takes the password, and needs no TOTP. */
const OPEN_TO_HALF: Readonly<Record<string, string>> = {
  ...OPEN,
  'POST /api/dashboard-auth/totp/verify': 'makes the half session a whole one',
};

const isOpen = (open: Readonly<Record<string, string>>, { method, path }: Route) => `${method} ${path}` in open;
const isSettings = ({ path }: Route) => path === '/api/settings';

async function answersTo(client: Browser, routes: readonly Route[]): Promise<Record<string, [number, string]>> {
  const found: Record<string, [number, string]> = {};
  for (const { method, path } of routes) {
    const sent = method === 'GET' ? {} : { body: {} };
    const { status, body } = await client.call(method, path, sent);
    found[`${method} ${path}`] = [status, body?.error?.code];
  }
  return found;
}

const expected = (routes: readonly Route[], codeOf: (route: Route) => string) =>
  Object.fromEntries(routes.map((route) => [`${route.method} ${route.path}`, [401, codeOf(route)]]));

const noSession = (route: Route) => (isSettings(route) ? 'unauthorized' : 'authentication_required');

test('the list of what is open names only routes that are there', async () => {
  const routes = routesOf(await startManagement()).map(({ method, path }) => `${method} ${path}`);
  expect(routes.length).toBeGreaterThan(25);
  for (const route of Object.keys(OPEN_TO_HALF)) expect(routes).toContain(route);
});

test('without a session every other route is closed', async () => {
  const stage = await startManagement();
  await setUp(stage);
  const closed = routesOf(stage).filter((route) => !isOpen(OPEN, route));
  expect(await answersTo(browser(stage), closed)).toEqual(expected(closed, noSession));
  expect(stage.reported).toEqual([]);
});

test('while TOTP is pending every other route is closed', async () => {
  const stage = await startManagement();
  await requireTotp(stage, await setUp(stage));
  const closed = routesOf(stage).filter((route) => !isOpen(OPEN_TO_HALF, route));
  const answers = await answersTo(await logIn(stage), closed);
  expect(answers).toEqual(expected(closed, () => 'totp_required'));
});

test('with a session every route lets its client in', async () => {
  const stage = await startManagement();
  for (const route of routesOf(stage)) {
    // Each with a session of its own: some of them end it.
    const client = stage.hot.state.dashboardAuth.password ? await logIn(stage) : await setUp(stage);
    const sent = route.method === 'GET' ? {} : { body: {} };
    const { status } = await client.call(route.method, route.path, sent);
    expect([route.method, route.path, [401, 403].includes(status)]).toEqual([route.method, route.path, false]);
  }
});

test('while there is no password every other route is closed to clients from elsewhere', async () => {
  const stage = await startManagement({ connection: { remoteAddress: addressOf } });
  const open = ['GET /health', 'GET /api/dashboard-auth/session', 'POST /api/dashboard-auth/logout'];
  const closed = routesOf(stage).filter(({ method, path }) => !open.includes(`${method} ${path}`));
  const sent = { password: 'correct horse' };
  const stranger = browser(stage, { address: '203.0.113.9' });
  const setup = await stranger.post('password/setup', sent);
  expect([setup.status, setup.body.error.code]).toEqual([401, 'authentication_required']);
  const others = closed.filter(({ path }) => path !== '/api/dashboard-auth/password/setup');
  expect(await answersTo(stranger, others)).toEqual(expected(others, noSession));
});

test('what is not there looks closed as well', async () => {
  const stage = await startManagement();
  await setUp(stage);
  for (const path of ['/api/nothing', '/api/dashboard-auth/nothing', '/api/dashboard-auth/../settings', '/nothing']) {
    expect([path, (await stage.call('GET', path)).status]).toEqual([path, 401]);
  }
});
