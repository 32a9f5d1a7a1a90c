import { readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { issuedCertificate } from '../support/certificate.ts';
import { startTlsProvider } from '../support/proxies/tlsProvider.ts';
import { type CodexRun, readCodexAccount, runCodex } from './support/codex.ts';
import { REFRESH_PATH } from './support/codexHome.ts';
import { type Fixture, test } from './support/fixture.ts';
import { costUsd, model, responseText, userTexts } from './support/script.ts';

// Codex with its `chatgpt_base_url` on the host of svc, all features on: what it asks before its first model request must not keep
// it from one (docs/clients.md#what-codex-asks-at-its-start).

const prompt = 'Say hi to the tests of the start.';

/** Puts TLS in front of the service, as operators do. @returns the URL for clients that trust the authority */
async function serveHttps(fixture: Fixture, stack: AsyncDisposableStack): Promise<string> {
  const front = stack.adopt(await startTlsProvider(fixture.proxy.url, issuedCertificate), (started) => started.close());
  return front.at();
}
const trusts = issuedCertificate.authority;

const signedIn = (fixture: Fixture, plan = 'plus') =>
  ({ as: 'chatgpt', provider: 'built-in', authFile: fixture.provider.addAccount({ plan }).authFile() }) as const;

const askedFor = (fixture: Fixture, path: string) => fixture.proxy.requests.filter((request) => request.path === path);

/** Expects a run that got its response at once, from the pool. */
async function expectResponse(fixture: Fixture, codex: CodexRun, row?: { cost_usd: number }): Promise<void> {
  expect(codex, codex.stderr).toMatchObject({ exitCode: 0, timedOut: false, finalMessage: responseText });
  expect(codex.stderr).not.toMatch(/Reconnecting|routing/);
  expect(userTexts(fixture.onlyPrompt())).toContain(prompt);
  expect(askedFor(fixture, REFRESH_PATH)).toEqual([]);
  await fixture.expectLogged(row);
}

/** Expects a 200 or an immediate 404 for everything that Codex asked, as docs/clients.md lists it. */
async function expectListed(fixture: Fixture): Promise<void> {
  const documentation = await readFile(new URL('../../docs/clients.md', import.meta.url), 'utf8');
  const [, rest = ''] = documentation.split('## What Codex asks at its start\n');
  const [section = ''] = rest.split('\n## ');
  const listed = new Map(
    [...section.matchAll(/^\| `(\S+) (\S+)` \| (\d+)/gm)].map(([, method, path, status]) => [
      `${method} ${path}`,
      Number(status),
    ]),
  );
  const asked = fixture.proxy.requests
    .map(({ method, path }) => ({ method, path: path.replace(/\?.*/, '') }))
    .filter(({ path }) => !/\/(responses|models)$/.test(path));
  expect(asked.length).toBeGreaterThan(3);
  for (const { method, path } of asked) {
    const name = `${method} ${path.replace(/^\/backend-api\/svc\//, '/backend-api/')}`;
    const response = await fetch(fixture.service.url + path, { method, ...(method === 'POST' && { body: '{}' }) });
    expect([name, response.status]).toEqual([name, listed.get(name)]);
    if (response.status !== 200) expect(await response.json()).toMatchObject({ error: { code: 'not_found' } });
  }
}

describe('signed in with ChatGPT', () => {
  test.for(['/backend-api', '/backend-api/svc'])(
    'below /backend-api/svc over HTTP gets its response (chatgpt_base_url %s)',
    async (chatgptPath, { fixture }) => {
      const { url } = fixture.proxy;

      const codex = await runCodex({
        baseUrl: `${url}/backend-api/svc`,
        chatgptBaseUrl: url + chatgptPath,
        prompt,
        model,
        signIn: signedIn(fixture),
      });

      await expectResponse(fixture, codex);
      await expectListed(fixture);
    },
  );

  test.for(['svc', 'codex'])('below /backend-api/%s over HTTPS gets its response', async (name, { fixture }) => {
    await using stack = new AsyncDisposableStack();
    const url = await serveHttps(fixture, stack);

    const codex = await runCodex({
      baseUrl: `${url}/backend-api/${name}`,
      chatgptBaseUrl: `${url}/backend-api`,
      trusts,
      prompt,
      model,
      signIn: signedIn(fixture),
    });

    await expectResponse(fixture, codex);
    expect(fixture.proxy.requests.filter(({ method }) => method === 'POST').map(({ path }) => path)).toContain(
      `/backend-api/${name}/responses`,
    );
    await expectListed(fixture);
  });

  test('below /backend-api/codex over HTTP is told to use HTTPS, and sends no prompt anywhere', async ({ fixture }) => {
    const { url } = fixture.proxy;

    const codex = await runCodex({
      baseUrl: `${url}/backend-api/codex`,
      chatgptBaseUrl: `${url}/backend-api`,
      prompt,
      model,
      signIn: signedIn(fixture),
    });

    // A rule of Codex that no response can lift (docs/clients.md#codex-binds-a-workspace-to-an-https-origin).
    expect(codex, codex.stderr).toMatchObject({ exitCode: 1, timedOut: false });
    expect(codex.stderr).toContain('workspace backend must use an HTTPS origin');
    await fixture.expectNoRequests();
  });

  test.for(['newest', 'old'] as const)(
    'to a business workspace gets its response (%s version)',
    async (version, { fixture }) => {
      const { url } = fixture.proxy;

      const codex = await runCodex({
        baseUrl: `${url}/backend-api/svc`,
        chatgptBaseUrl: `${url}/backend-api`,
        version,
        prompt,
        model,
        signIn: signedIn(fixture, 'business'),
      });

      // The old version requests the priority tier for such a workspace.
      await expectResponse(fixture, codex, version === 'old' ? { cost_usd: 2 * costUsd } : undefined);
      await expectListed(fixture);
    },
  );

  test('with a key for its provider gets its response where keys are required', async ({ fixture }) => {
    const { url } = fixture.proxy;
    const { authFile } = signedIn(fixture, 'business');

    const codex = await runCodex({
      baseUrl: `${url}/backend-api/svc`,
      chatgptBaseUrl: `${url}/backend-api`,
      prompt,
      model,
      signIn: { as: 'chatgpt and key', authFile, key: await fixture.requireKeys() },
    });

    await expectResponse(fixture, codex);
  });

  test.for([
    ['HTTP', '/backend-api/svc', '/backend-api/svc'],
    ['HTTPS', '/backend-api/svc', '/backend-api'],
    ['HTTPS', '/backend-api/codex', '/backend-api'],
  ] as const)('reads its account over %s below %s, as editors do', async ([scheme, path, chatgpt], { fixture }) => {
    await using stack = new AsyncDisposableStack();
    const url = scheme === 'HTTP' ? fixture.proxy.url : await serveHttps(fixture, stack);
    const account = fixture.provider.addAccount({ plan: 'plus' });

    const read = await readCodexAccount({
      baseUrl: url + path,
      chatgptBaseUrl: url + chatgpt,
      trusts,
      model,
      signIn: { as: 'chatgpt', provider: 'built-in', authFile: account.authFile() },
    });

    const backendOrigin = new URL(url).origin.replace('http:', 'https:');
    expect(read).toMatchObject({
      error: undefined,
      result: {
        account: { email: account.email },
        workspaceRouting: { chatgptAccountId: account.id, backendOrigin, accountRoutingOverride: 'NO_CONSTRAINT' },
      },
    });
  });
});

describe('signed in with an API key', () => {
  test.for(['svc', 'codex'])('below /backend-api/%s gets its response', async (name, { fixture }) => {
    const { url } = fixture.proxy;
    const key = await fixture.requireKeys();

    const codex = await runCodex({
      baseUrl: `${url}/backend-api/${name}`,
      chatgptBaseUrl: `${url}/backend-api`,
      prompt,
      model,
      signIn: { as: 'api key', key },
    });

    await expectResponse(fixture, codex);
    expect(askedFor(fixture, '/backend-api/wham/accounts/check')).toEqual([]);
    expect(fixture.proxy.requests.find(({ method }) => method === 'POST')?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
    });
  });
});
