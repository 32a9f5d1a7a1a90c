import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { addressOf, type Browser, browser, logIn, requireTotp, setUp } from '../../test/support/browser.ts';
import { type Stage, startManagement } from '../../test/support/management.ts';
import { endpointsOf } from './http/describeRoute.ts';

interface Route {
  readonly method: string;
  /** With a value for each parameter. */
  readonly path: string;
}

/** All mounted routes. */
function routesOf(stage: Stage): Route[] {
  const { endpoints, undocumented } = endpointsOf(stage.management);
  return [...endpoints, ...undocumented].map(({ method, path }) => ({
    method: method.toUpperCase(),
    path: path.replace(/\{\w+\}/g, '1'),
  }));
}

/** Routes that need no session, and why. All others must be protected. */
const PUBLIC: Readonly<Record<string, string>> = {
  'GET /health': 'only shows that the process runs',
  'GET /live': 'only shows that the process runs',
  'GET /ready': 'tells load balancers by fixed codes whether the process can serve',
  'GET /metrics': 'is read without a sign-in from this machine, and checks others itself',
  'GET /api/dashboard-auth/session': 'tells the dashboard which page to show',
  'POST /api/dashboard-auth/password/setup': 'refuses once a password is set',
  'POST /api/dashboard-auth/password/login': 'checks the password',
  'POST /api/dashboard-auth/logout': 'ends the session, if there is one',
  'POST /api/dashboard-auth/login': 'checks the password of an operator',
  'POST /api/dashboard-auth/invitation': 'checks the secret of the link',
  'POST /api/dashboard-auth/invitation/accept': 'checks the secret of the link',
  'GET /api/dashboard-auth/oidc/start': 'leads to the OpenID provider',
  'GET /api/dashboard-auth/oidc/callback': 'checks what the OpenID provider confirms',
  'POST /api/dashboard-auth/invitation/passkey/start': 'checks the secret of the link',
  'GET /api/dashboard-auth/passkeys/relying-party': 'tells the sign-in page whether passkeys can be used',
  'POST /api/dashboard-auth/passkeys/sign-in/start': 'makes a challenge for an authenticator',
  'POST /api/dashboard-auth/passkeys/sign-in': 'checks the passkey of an operator',
};
/** Routes that work while the TOTP verification of the session is pending. */
const PUBLIC_OR_TOTP_PENDING: Readonly<Record<string, string>> = {
  ...PUBLIC,
  'POST /api/dashboard-auth/totp/verify': 'verifies TOTP',
  'POST /api/dashboard-auth/recovery/verify': 'verifies TOTP by a recovery code',
};

const isListed = (routes: Readonly<Record<string, string>>, { method, path }: Route) => `${method} ${path}` in routes;
const isSettings = ({ path }: Route) => path === '/api/settings';

async function responsesTo(client: Browser, routes: readonly Route[]): Promise<Record<string, [number, string]>> {
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

test('mounts every resource', () => {
  const app = readFileSync(new URL('app.ts', import.meta.url), 'utf8');
  const resources = readdirSync(new URL('resources/', import.meta.url)).filter((name) => /^\w+\.ts$/.test(name));
  expect(resources.length).toBeGreaterThan(15);
  expect(resources.filter((name) => !app.includes(`'./resources/${name}'`))).toEqual([]);
});

test('lists only existing routes as public', async () => {
  const routes = routesOf(await startManagement()).map(({ method, path }) => `${method} ${path}`);
  expect(routes.length).toBeGreaterThan(25);
  for (const route of Object.keys(PUBLIC_OR_TOTP_PENDING)) expect(routes).toContain(route);
});

test('requires a session for every other route', async () => {
  const stage = await startManagement();
  await setUp(stage);
  const closed = routesOf(stage).filter((route) => !isListed(PUBLIC, route));
  expect(await responsesTo(browser(stage), closed)).toEqual(expected(closed, noSession));
  expect(stage.reported).toEqual([]);
});

test('refuses every other route while TOTP verification is pending', async () => {
  const stage = await startManagement();
  await requireTotp(stage, await setUp(stage));
  const closed = routesOf(stage).filter((route) => !isListed(PUBLIC_OR_TOTP_PENDING, route));
  const responses = await responsesTo(await logIn(stage), closed);
  expect(responses).toEqual(expected(closed, () => 'totp_required'));
});

test('admits a client with a session to every route', async () => {
  const stage = await startManagement();
  for (const route of routesOf(stage)) {
    // A new session each: some routes end it.
    const client = stage.hot.state.dashboardAuth.password ? await logIn(stage) : await setUp(stage);
    const sent = route.method === 'GET' ? {} : { body: {} };
    const { status } = await client.call(route.method, route.path, sent);
    expect([route.method, route.path, [401, 403].includes(status)]).toEqual([route.method, route.path, false]);
  }
});

test('refuses remote clients on every other route while no password is set', async () => {
  const stage = await startManagement({ connection: { remoteAddress: addressOf } });
  const ofThisMachine = ['POST /api/dashboard-auth/password/setup', 'POST /api/dashboard-auth/password/login'];
  const isPublic = (route: Route) =>
    isListed(PUBLIC, route) && !ofThisMachine.includes(`${route.method} ${route.path}`);
  const closed = routesOf(stage).filter((route) => !isPublic(route));
  const sent = { password: 'correct horse' };
  const remote = browser(stage, { address: '203.0.113.9' });
  const setup = await remote.post('password/setup', sent);
  expect([setup.status, setup.body.error.code]).toEqual([401, 'authentication_required']);
  const others = closed.filter(({ path }) => path !== '/api/dashboard-auth/password/setup');
  expect(await responsesTo(remote, others)).toEqual(expected(others, noSession));
});

test('responds to unknown paths like to protected ones', async () => {
  const stage = await startManagement();
  await setUp(stage);
  for (const path of ['/api/nothing', '/api/dashboard-auth/nothing', '/api/dashboard-auth/../settings', '/nothing']) {
    expect([path, (await stage.call('GET', path)).status]).toEqual([path, 401]);
  }
});
