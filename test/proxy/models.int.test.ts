import { describe, expect, test, vi } from 'vitest';
import { type Gateway, type GatewayOptions, validRequest } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';
import { model, modelList } from '../support/provider/models.ts';
import { delayed, serverError, usageWindow } from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';

let gateway: Gateway;
const next = gateways();
/** Tests that define models of plans get a service of their own. */
const start = async (options?: GatewayOptions) => {
  gateway = await next(options && { env: {}, ...options });
};

interface Model {
  id: string;
  created: number;
  metadata: Record<string, unknown>;
}
interface Models {
  object: string;
  data: Model[];
  models: Record<string, unknown>[];
}
const BOTH = ['/backend-api/svc/models', '/v1/models'];

const ask = (path = '/v1/models', headers: Record<string, string> = {}, method = 'GET') =>
  fetch(gateway.url + path, { method, headers });
const list = async (path = '/v1/models', headers: Record<string, string> = {}) =>
  (await (await ask(path, headers)).json()) as Models;
const names = async (headers?: Record<string, string>) => (await list('/v1/models', headers)).data.map(({ id }) => id);
/** Imports another account with these models. */
async function join(plan: string, ...models: Record<string, unknown>[]) {
  const at = gateway.provider.addAccount({ plan });
  at.models.always(modelList(models));
  const id = await gateway.importAccount(at);
  await vi.waitUntil(() => gateway.events('ModelsListed').some(({ data }) => data.planType === plan), waitOptions);
  return { at, id };
}

describe('accounts of different plans', () => {
  const askFor = async (wanted: string) => {
    const response = await gateway.ask({ ...validRequest, model: wanted });
    await response.text();
    return { status: response.status, account: gateway.events('RequestCompleted').at(-1)?.data.accountId };
  };

  test('serve only the models of their plan', async () => {
    await start({ accounts: 0 });
    await gateway.set({ sticky_threads_enabled: false });
    const free = await join('free', model('luna'));
    const plus = await join('plus', model('luna'), model('sol'));
    plus.at.usage.primary = usageWindow({ usedPercent: 50 });
    await (await gateway.ask({ ...validRequest, model: 'sol' })).text();
    await expect
      .poll(() => gateway.events('AccountUsageObserved').at(-1)?.data)
      .toMatchObject({
        accountId: plus.id,
        primary: { usedPercent: 50 },
      });
    expect(await askFor('luna')).toEqual({ status: 200, account: free.id });
    expect(await askFor('sol')).toEqual({ status: 200, account: plus.id });
    expect(await askFor('unknown-to-all')).toEqual({ status: 200, account: free.id });
    await gateway.api('POST', `/api/accounts/${plus.id}/pause`);
    expect(await askFor('sol')).toEqual({ status: 503, account: null });
    expect(await askFor('luna')).toEqual({ status: 200, account: free.id });
    await gateway.api('DELETE', `/api/accounts/${plus.id}`);
    expect(await askFor('sol')).toEqual({ status: 200, account: free.id });
  });
});

describe('one body satisfies all clients', () => {
  test.each([...BOTH, '/backend-api/codex/models', '/v1/models?client_version=0.169.0', '/v1/models/'])(
    'on %s',
    async (path) => {
      await start();
      const response = await ask(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain('application/json');
      const body = (await response.json()) as Models;
      expect(body.object).toBe('list');
      expect(body.data).toMatchObject([
        { id: 'gpt-6.1-sol', object: 'model', owned_by: expect.any(String), metadata: { context_window: 272_000 } },
        { id: 'gpt-5.5', object: 'model' },
      ]);
      expect(body.models).toEqual([model('gpt-6.1-sol'), model('gpt-5.5', { priority: 2 })]);
    },
  );

  test('waits for the models of the first account after its import', async () => {
    await start({ accounts: 0 });
    const at = gateway.provider.addAccount();
    at.models.always(delayed(300, modelList([model('slow')])));
    expect(await names()).toEqual([]);
    await gateway.importAccount(at);
    expect(await names()).toEqual(['slow']);
  });

  test('lists a model without mandatory keys for SDKs only, because Codex would reject the list', async () => {
    await start({ accounts: 0 });
    const { base_instructions: _, ...incomplete } = model('incomplete');
    const odd = model('odd', { supported_reasoning_levels: [{ effort: 'low' }] });
    await join('plus', incomplete, model('complete'), odd, { slug: 'bare' });
    const { data, models } = await list();
    expect(data.map(({ id }) => id)).toEqual(['incomplete', 'complete', 'odd', 'bare']);
    expect(models.map(({ slug }) => slug)).toEqual(['complete']);
  });

  test('keeps the body and its etag until a model changes', async () => {
    await start();
    const [first, second] = [await ask(), await ask('/backend-api/svc/models')];
    expect(await second.text()).toBe(await first.text());
    const etag = first.headers.get('etag');
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(second.headers.get('etag')).toBe(etag);
    await join('pro', model('only-pro'));
    expect((await ask()).headers.get('etag')).not.toBe(etag);
  });

  test('responds to HEAD like to GET, without the body', async () => {
    await start();
    const [get, head] = [await ask(), await ask('/v1/models', {}, 'HEAD')];
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    expect(await head.text()).toBe('');
  });
});

describe('the list contains what the pool can serve', () => {
  test('of all plans, each model once', async () => {
    await start({ accounts: 0 });
    await join('plus', model('shared', { display_name: 'as plus sees it' }), model('only-plus'));
    const { id } = await join('pro', model('only-pro'), model('shared', { display_name: 'as pro sees it' }));
    const { data } = await list();
    expect(data.map(({ id }) => id)).toEqual(['shared', 'only-plus', 'only-pro']);
    expect(data[0]?.metadata.display_name).toBe('as plus sees it');
    await gateway.api('DELETE', `/api/accounts/${id}`);
    expect(await names()).toEqual(['shared', 'only-plus']);
  });

  test('is empty without accounts, so that Codex uses its own list', async () => {
    await start({ accounts: 0 });
    expect(await list()).toEqual({ object: 'list', data: [], models: [] });
    expect((await ask()).headers.get('etag')).toBeNull();
  });

  test('serves the last known models while the provider fails, also after a restart', async () => {
    await start();
    const before = await list();
    expect(before.data).toHaveLength(2);
    gateway.pool[0]?.at.models.always(serverError());
    await gateway.restart();
    expect(await list()).toEqual(before);
    await vi.waitUntil(
      () => gateway.output.some((line) => line.includes('The models of plan plus could not be read: HTTP 500')),
      waitOptions,
    );
    expect(await list()).toEqual(before);
  });

  test('is the same in the dashboard', async () => {
    await start({ accounts: 0 });
    await join('plus', model('brand-new', { display_name: 'Brand New' }));
    expect((await gateway.api('GET', '/api/models')).body.models).toContainEqual({
      id: 'brand-new',
      name: 'Brand New',
    });
  });
});

describe('a key', () => {
  const withKey = async (allowed: string[] | null) => {
    await start();
    const { body } = await gateway.api('POST', '/api/api-keys', { name: 'k', allowed_models: allowed });
    await gateway.set({ api_key_auth_enabled: true });
    return { id: body.id as string, headers: { authorization: `Bearer ${body.key}` } };
  };

  test('sees the models that it may use, and changes at once', async () => {
    const { id, headers } = await withKey(['gpt-5.5', 'not-there']);
    expect(await names(headers)).toEqual(['gpt-5.5']);
    await gateway.api('PATCH', `/api/api-keys/${id}`, { allowed_models: ['gpt-6.1-sol'] });
    expect(await names(headers)).toEqual(['gpt-6.1-sol']);
    await gateway.api('PATCH', `/api/api-keys/${id}`, { allowed_models: null });
    expect(await names(headers)).toEqual(['gpt-6.1-sol', 'gpt-5.5']);
  });

  test('is required when keys are required', async () => {
    const { headers } = await withKey(null);
    for (const path of [...BOTH, '/v1/models/gpt-5.5']) {
      expect((await ask(path)).status).toBe(401);
      expect((await ask(path, headers)).status).toBe(200);
    }
    // Lists and their refusals are not model requests.
    expect(await gateway.logs()).toEqual([]);
  });

  test('gets the same error for a forbidden model as for an unknown one', async () => {
    const { headers } = await withKey(['gpt-5.5']);
    const [forbidden, unknown] = [await ask('/v1/models/gpt-6.1-sol', headers), await ask('/v1/models/x', headers)];
    for (const response of [forbidden, unknown]) {
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: 'model_not_found' } });
    }
  });
});

describe('one model', () => {
  test('is found by its name in every spelling of the path', async () => {
    await start({ accounts: 0 });
    await join('plus', model('gpt-5.5'), model('org/name with space'));
    for (const path of ['/v1/models/gpt-5.5', '/v1/models/gpt-5.5/', '/v1/models/gpt%2D5.5']) {
      expect(await (await ask(path)).json(), path).toMatchObject({ id: 'gpt-5.5', object: 'model' });
    }
    expect(await (await ask('/v1/models/org%2Fname%20with%20space')).json()).toMatchObject({
      id: 'org/name with space',
    });
  });

  test.each(['/v1/models/a/b', '/v1/models/%ZZ', '/v1/models//', '/backend-api/svc/models/gpt-5.5'])(
    'is not found at %s',
    async (path) => {
      await start();
      const response = await ask(path);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: expect.stringMatching(/not_found$/) } });
    },
  );
});
