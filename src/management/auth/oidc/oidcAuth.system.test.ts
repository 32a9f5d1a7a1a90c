import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { logIn, setUp } from '../../../../test/support/browser.ts';
import { invite } from '../../../../test/support/operators.ts';
import { advanceClock, allEvents } from '../authStage.support.ts';
import {
  failed,
  type OidcBrowser,
  type OidcStage,
  type OidcStageOptions,
  oidcBrowser,
  PUBLIC_URL,
  startOidcStage,
} from './oidcStage.support.ts';

const ADA = { email: 'ada@example.com', email_verified: true, name: 'Ada' };
const HOME = `${PUBLIC_URL}/`;

/** A provider that knows Ada, who is invited as auditor. */
async function invitedAda(options: OidcStageOptions = {}) {
  const started = await startOidcStage({ people: { ada: ADA, eve: { email: 'eve@example.com' } }, ...options });
  const administrator = await setUp(started.stage);
  const { id } = await invite(administrator, 'Ada', 'auditor');
  return { ...started, administrator, id, ada: oidcBrowser(started.stage) };
}

const isSignedIn = async (browser: OidcBrowser) => (await browser.session()).isPasswordVerified;
const typesOf = async ({ stage }: Pick<OidcStage, 'stage'>) => (await allEvents(stage)).map(({ type }) => type);

test('signs in who was invited to the verified address, and finds them by their identity afterwards', async () => {
  const { stage, provider, id, ada } = await invitedAda();
  expect(await ada.signIn('ada', { next: '/history?page=2' })).toBe(`${PUBLIC_URL}/history?page=2`);
  expect(await ada.session()).toMatchObject({
    isPasswordVerified: true,
    operator: { id, name: 'Ada', role: 'auditor' },
  });
  // The address may change now: people are an issuer with a subject.
  provider.script.people.set('ada', { email: 'ada@elsewhere.example', email_verified: false });
  const again = oidcBrowser(stage);
  expect(await again.signIn('ada')).toBe(HOME);
  expect((await again.session()).operator.id).toBe(id);
});

test('names the person and the method in every event, and keeps nothing of them in plain', async () => {
  const { stage, administrator, id, ada } = await invitedAda();
  await ada.signIn('ada');
  await ada.call('POST', '/api/dashboard-auth/logout');
  const { body } = await administrator.call('GET', `/api/history?actor=person:${id}`);
  expect(body.events.map(({ type }: { type: string }) => type)).toEqual([
    'SessionEnded',
    'SessionBegun',
    'OperatorIdentityLinked',
    'OperatorInvitationAccepted',
  ]);
  for (const { actor } of body.events)
    expect(actor).toMatchObject({ operator_id: id, name: 'Ada', method: 'oidc', address: '127.0.0.1' });
  expect(JSON.stringify(await allEvents(stage))).not.toMatch(/ada@example|localhost:\d+/);
});

test('signing out ends the session', async () => {
  const { ada } = await invitedAda();
  await ada.signIn('ada');
  const kept = new Map(ada.cookies);
  await ada.call('POST', '/api/dashboard-auth/logout');
  for (const [name, value] of kept) ada.cookies.set(name, value);
  expect(await isSignedIn(ada)).toBe(false);
});

test('asks for UserInfo only what the ID token lacks', async () => {
  const { provider, ada } = await invitedAda({ hasClaimsInIdToken: true });
  expect(await ada.signIn('ada')).toBe(HOME);
  expect(provider.calls.filter((path) => path === '/me')).toEqual([]);
});

test('sends the browser to the address of SVC_PUBLIC_URL whatever Host a request has', async () => {
  const { provider, ada } = await invitedAda();
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
  const open = async (path: string) => (await ada.call('GET', path, { headers })).headers.location ?? '';
  const url = await open('/api/dashboard-auth/oidc/start');
  expect(new URL(url).searchParams.get('redirect_uri')).toBe(`${PUBLIC_URL}/api/dashboard-auth/oidc/callback`);
  const { pathname, search } = await ada.visitor.signIn(url, 'ada');
  expect(await open(pathname + search)).toBe(HOME);
  expect(await open(pathname + search)).toBe(failed('oidc_expired'));
  await provider.stop();
});

test('keeps a flow in a cookie that only the callback gets, for 10 minutes', async () => {
  const { ada } = await invitedAda();
  const { headers } = await ada.call('GET', '/api/dashboard-auth/oidc/start');
  expect(headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^dashboard_oidc_[\w-]{16}=[\w-]+; Path=\/api\/dashboard-auth\/oidc; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    ),
  ]);
});

describe('leads only to local paths:', () => {
  test('refuses every other next', async () => {
    const { ada } = await invitedAda();
    for (const next of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/%09/x\t',
      'javascript:alert(1)',
      '',
    ])
      expect([next, await ada.signIn('ada', { next })]).toEqual([next, HOME]);
    expect(await ada.signIn('ada', { next: `/${'a'.repeat(5_000)}` })).toBe(HOME);
  });
});

describe('clocks', () => {
  test.each([-45_000, 45_000])('may differ by a minute: svc %s ms ahead', async (aheadMs) => {
    const { ada } = await invitedAda({ aheadMs });
    expect(await ada.signIn('ada')).toBe(HOME);
  });

  test('that differ by hours are refused, and said', async () => {
    const { ada, lines } = await invitedAda({ aheadMs: 2 * 3_600_000 });
    expect(await ada.signIn('ada')).toBe(failed('oidc_rejected'));
    expect(lines.join()).toMatch(/"exp".*the clock of this machine/s);
  });
});

describe('keys', () => {
  test('may be rotated between two sign-ins', async () => {
    const { stage, provider, ada } = await invitedAda();
    expect(await ada.signIn('ada')).toBe(HOME);
    provider.rotateKeys();
    expect(await oidcBrowser(stage).signIn('ada')).toBe(HOME);
  });

  test('that were withdrawn sign nothing any more', async () => {
    const { stage, provider, ada } = await invitedAda();
    expect(await ada.signIn('ada')).toBe(HOME);
    provider.script.onTokens = (body) => {
      provider.rotateKeys();
      return body;
    };
    expect(await oidcBrowser(stage).signIn('ada')).toBe(failed('oidc_rejected'));
  });
});

describe('refuses', () => {
  test('a state that the browser did not send', async () => {
    const { ada, provider } = await invitedAda();
    const callback = await ada.visitor.signIn(await ada.start(), 'ada');
    callback.searchParams.set('state', 'a'.repeat(43));
    expect(await ada.open(callback)).toBe(failed('oidc_expired'));
    expect(provider.calls).not.toContain('/token');
  });

  test('an ID token with the nonce of another flow', async () => {
    const { stage, provider, ada } = await invitedAda();
    let token: unknown;
    provider.script.onTokens = (body) => {
      token ??= body.id_token;
      return { ...body, id_token: token };
    };
    expect(await ada.signIn('ada')).toBe(HOME);
    const other = oidcBrowser(stage);
    expect(await other.signIn('ada')).toBe(failed('oidc_rejected'));
    expect(await isSignedIn(other)).toBe(false);
  });

  test('an ID token that was issued to another client with the same nonce', async () => {
    const { provider, ada, lines } = await invitedAda();
    const url = new URL(await ada.start());
    // Another client of the same provider, under an attacker, asks for Ada with the nonce of svc.
    const { id, secret } = provider.otherClient;
    const verifier = 'v'.repeat(43);
    const theirs = new URL(url);
    theirs.searchParams.set('client_id', id);
    theirs.searchParams.set('code_challenge', createHash('sha256').update(verifier).digest('base64url'));
    const code = (await ada.visitor.signIn(theirs.href, 'ada')).searchParams.get('code') ?? '';
    const redirect_uri = theirs.searchParams.get('redirect_uri') ?? '';
    const response = await fetch(`${provider.issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier }),
    });
    const { id_token } = (await response.json()) as { id_token: string };
    expect(id_token).toBeDefined();
    provider.script.onTokens = (body) => ({ ...body, id_token });
    expect(await ada.open(await ada.visitor.signIn(url.href, 'ada'))).toBe(failed('oidc_rejected'));
    expect(lines.join()).toContain('"aud"');
  });

  test('a response of another issuer, before the code goes to any', async () => {
    const { provider, ada } = await invitedAda();
    for (const iss of ['https://evil.example', undefined]) {
      const callback = await ada.visitor.signIn(await ada.start(), 'ada');
      expect(callback.searchParams.get('iss')).toBe(provider.issuer);
      if (iss === undefined) callback.searchParams.delete('iss');
      else callback.searchParams.set('iss', iss);
      expect(await ada.open(callback)).toBe(failed('oidc_rejected'));
    }
    expect(provider.calls).not.toContain('/token');
  });

  test('the code of another flow', async () => {
    const { stage, ada } = await invitedAda();
    const stolen = await ada.visitor.signIn(await ada.start(), 'ada');
    const eve = oidcBrowser(stage);
    const callback = await eve.visitor.signIn(await eve.start(), 'eve');
    callback.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    expect(await eve.open(callback)).toBe(failed('oidc_rejected'));
    expect(await isSignedIn(eve)).toBe(false);
  });

  test('a callback that was used, also with the cookie of its flow', async () => {
    const { provider, ada } = await invitedAda();
    const callback = await ada.visitor.signIn(await ada.start({ next: '/keys' }), 'ada');
    const kept = new Map(ada.cookies);
    expect(await ada.open(callback)).toBe(`${PUBLIC_URL}/keys`);
    expect(await ada.open(callback)).toBe(failed('oidc_expired'));
    for (const [name, value] of kept) ada.cookies.set(name, value);
    expect(await ada.open(callback)).toBe(failed('oidc_expired', '/keys'));
    expect(provider.calls.filter((path) => path === '/token')).toHaveLength(1);
  });

  test('a flow after 10 minutes, and finishes one before', async () => {
    const { stage, ada } = await invitedAda();
    // Two people at the provider: a second sign-in there voids the code of the first.
    const eve = oidcBrowser(stage);
    const [first, second] = [await ada.start(), await eve.start()];
    const [late, later] = [await ada.visitor.signIn(first, 'ada'), await eve.visitor.signIn(second, 'eve')];
    advanceClock(stage, 10 * 60_000 - 1);
    expect(await ada.open(late)).toBe(HOME);
    advanceClock(stage, 1);
    expect(await eve.open(later)).toBe(failed('oidc_expired'));
  });

  test('to finish in a browser what began in another one', async () => {
    const { stage, ada } = await invitedAda();
    const callback = await ada.visitor.signIn(await ada.start(), 'ada');
    const victim = oidcBrowser(stage);
    expect(await victim.open(callback)).toBe(failed('oidc_expired'));
    expect(await isSignedIn(victim)).toBe(false);
  });

  test('who cancels at the provider', async () => {
    const { ada } = await invitedAda();
    expect(await ada.signIn(null, { next: '/keys' })).toBe(failed('oidc_declined', '/keys'));
  });
});

test('finishes two flows of two tabs in any order', async () => {
  const { ada } = await invitedAda();
  const [first, second] = [await ada.start({ next: '/one' }), await ada.start({ next: '/two' })];
  expect(await ada.open(await ada.visitor.signIn(second, 'ada'))).toBe(`${PUBLIC_URL}/two`);
  expect(await ada.open(await ada.visitor.signIn(first, 'ada'))).toBe(`${PUBLIC_URL}/one`);
});

test('keeps at most five flows of a browser', async () => {
  const { ada } = await invitedAda();
  const urls: string[] = [];
  for (let count = 0; count < 8; count += 1) urls.push(await ada.start());
  expect(ada.cookies.size).toBe(5);
  expect(await ada.open(await ada.visitor.signIn(urls[7] ?? '', 'ada'))).toBe(HOME);
});

test('begins a new session and ends the one that the browser had', async () => {
  const { stage, id, ada } = await invitedAda();
  // An attacker has put their own session into the browser of Ada.
  const planted = (await logIn(stage)).cookie ?? '';
  ada.cookies.set('dashboard_session', planted.slice(planted.indexOf('=') + 1));
  await ada.signIn('ada');
  expect(`dashboard_session=${ada.cookies.get('dashboard_session')}`).not.toBe(planted);
  expect((await ada.session()).operator.id).toBe(id);
  const { body } = await stage.call('GET', '/api/dashboard-auth/session', { headers: { cookie: planted } });
  expect(body.isPasswordVerified).toBe(false);
});

test('records failures and throttles them by address, without asking the provider', async () => {
  const { stage, provider } = await invitedAda();
  const eve = oidcBrowser(stage, { address: '203.0.113.9' });
  for (let count = 0; count < 8; count += 1) expect(await eve.signIn('eve')).toBe(failed('oidc_not_invited'));
  provider.calls.length = 0;
  for (let count = 0; count < 8; count += 1)
    expect(await eve.open(`${PUBLIC_URL}/api/dashboard-auth/oidc/callback?state=x&code=y`)).toBe(
      failed('oidc_expired'),
    );
  expect(await eve.signIn('eve')).toBe(failed('rate_limit_exceeded'));
  expect(provider.calls).not.toContain('/token');
  const failures = (await allEvents(stage)).filter(({ type }) => type === 'SignInFailed');
  expect(failures).toHaveLength(16);
  expect(failures[0]?.data).toEqual({ method: 'oidc', address: '203.0.113.9' });
  // Others are not affected, and the minute passes.
  expect(await oidcBrowser(stage, { address: '203.0.113.10' }).signIn('ada')).toBe(HOME);
  advanceClock(stage, 61_000);
  expect(await eve.signIn('eve')).toBe(failed('oidc_not_invited'));
});

describe('while the provider', () => {
  test('is down, says so with a remedy, and local sign-in works', async () => {
    const { stage, provider, ada, lines, faults } = await invitedAda();
    await provider.stop();
    expect(await ada.signIn('ada', { next: '/keys' })).toBe(failed('oidc_unavailable', '/keys'));
    expect(ada.cookies.size).toBe(0);
    expect(lines.join()).toMatch(
      /Sign-in by OIDC is not possible: localhost:\d+ could not be reached \(econnrefused\)/,
    );
    expect(faults.current).toMatchObject([
      { code: 'oidc_unavailable', remedy: expect.stringContaining('Local sign-in') },
    ]);
    await logIn(stage);
    expect(await typesOf({ stage })).not.toContain('SignInFailed');
  });

  test('hangs, gives up after the timeout', async () => {
    const { provider, ada, lines } = await invitedAda({ timeoutMs: 200 });
    provider.script.intercept = () => true;
    expect(await ada.signIn('ada')).toBe(failed('oidc_unavailable'));
    expect(lines.join()).toContain('did not respond in time');
  });

  test('fails after the person has signed in, lets them in once it works again', async () => {
    const { provider, ada, faults } = await invitedAda();
    const callback = await ada.visitor.signIn(await ada.start(), 'ada');
    provider.script.intercept = (request, response) => {
      if (request.url !== '/token') return false;
      response.writeHead(503).end();
      return true;
    };
    expect(await ada.open(callback)).toBe(failed('oidc_unavailable'));
    provider.script.intercept = undefined;
    expect(await ada.signIn('ada')).toBe(HOME);
    expect(faults.current).toEqual([]);
  });

  test('redirects a call to another host, follows nowhere', async () => {
    const { provider, ada } = await invitedAda();
    const calls: string[] = [];
    provider.script.intercept = (request, response) => {
      calls.push(request.url ?? '');
      response.writeHead(302, { location: `http://127.0.0.1:${new URL(provider.issuer).port}/stolen` }).end();
      return true;
    };
    expect(await ada.signIn('ada')).toBe(failed('oidc_unavailable'));
    expect(calls).toEqual(['/.well-known/openid-configuration']);
  });

  test('sends without end, reads no more than a mebibyte', async () => {
    const { provider, ada, lines } = await invitedAda();
    provider.script.intercept = (_request, response) => {
      const chunk = Buffer.alloc(65_536, 32);
      const write = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', write);
      write();
      return true;
    };
    expect(await ada.signIn('ada')).toBe(failed('oidc_unavailable'));
    expect(lines.join()).toContain('sent more than 1048576 bytes');
  });

  test('describes itself as another issuer, is not believed', async () => {
    const { provider, ada } = await invitedAda();
    provider.script.intercept = (_request, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ issuer: 'https://evil.example' }));
      return true;
    };
    expect(await ada.signIn('ada')).toBe(failed('oidc_unavailable'));
  });
});
