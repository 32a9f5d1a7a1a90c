import type { Gateway } from '../../support/gateway.ts';
import { validRequest } from '../../support/gateway.ts';
import {
  accessTokenRefused,
  serverError,
  textResponse,
  throttled,
  usageLimitReached,
} from '../../support/provider/scripts.ts';
import type { Random } from '../../support/random.ts';

const MODELS = ['gpt-5.1', 'gpt-5.2', 'no-such-model', '=1+1\u202e'];
const ROLES = ['auditor', 'member', 'operator'] as const;

/** A client of management: resolves with status and body. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any field
export type Send = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: any }>;

/** What exists, by what the commands before have created. */
interface World {
  readonly keys: { id: string; key: string }[];
  readonly teams: string[];
  readonly owners: string[];
  readonly operators: string[];
  readonly tokens: string[];
  readonly holds: string[];
  readonly requests: string[];
}

/**
 * Random commands of an operator and random requests of clients: every resource is created, changed and deleted, and some commands are
 * refused. Accounts fail in random ways.
 */
export function randomCommands(gateway: Gateway, send: Send, random: Random) {
  const world: World = { keys: [], teams: [], owners: [], operators: [], tokens: [], holds: [], requests: [] };
  /** Management tokens of people. */
  const people: string[] = [];
  let count = 0;
  const any = <Value>(values: readonly Value[]): Value | undefined =>
    values.length === 0 ? undefined : random.pick(values);
  const remove = <Value>(values: Value[]): Value | undefined => values.splice(random.below(values.length), 1)[0];

  const limits = () =>
    Array.from({ length: random.between(0, 2) }, (_, index) => ({
      limit_type: ['total_tokens', 'output_tokens', 'cost_usd'][index],
      limit_window: random.pick(['daily', 'weekly', 'monthly']),
      max_value: random.pick([60, 500, 100_000]),
      ...(random.chance(0.3) && { model_filter: random.pick(MODELS) }),
    }));

  async function ask(): Promise<void> {
    const key = any(world.keys);
    if (random.chance(0.3)) {
      const failing = any(gateway.pool)?.at;
      failing?.next(
        random.pick([
          serverError(),
          throttled({ retryAfter: random.pick([1, 600]) }),
          usageLimitReached({ resetsInSeconds: 900 }),
          accessTokenRefused(),
        ]),
      );
    }
    const thread = random.chance(0.5) ? { prompt_cache_key: `thread ${random.below(4)}` } : {};
    const headers: Record<string, string> = key ? { authorization: `Bearer ${key.key}` } : {};
    const response = await gateway.ask({ ...validRequest, ...thread, model: random.pick(MODELS) }, { headers });
    await response.text();
    const id = response.headers.get('x-request-id');
    if (id !== null) world.requests.push(id);
  }

  const commands = {
    ask,
    async createKey() {
      const owner = random.pick([undefined, 'administrator', 'r&d/\u202ex', ...world.operators]);
      const { status, body } = await send('POST', '/api/api-keys', {
        name: random.pick(['agents', '=cmd()', '\u001b[31mred', '@x']),
        limits: limits(),
        ...(random.chance(0.2) && { allowed_models: ['gpt-5.2'] }),
        ...(random.chance(0.2) && { expires_at: new Date(Date.now() + 3_600_000).toISOString() }),
        ...(owner !== undefined && { owner }),
        ...(world.teams.length > 0 && random.chance(0.5) && { team: any(world.teams) }),
      });
      if (status !== 200) return;
      world.keys.push(body);
      if (owner !== undefined && !world.owners.includes(owner)) world.owners.push(owner);
    },
    async changeKey() {
      const change = random.pick([
        { name: `renamed ${count}` },
        { is_active: random.chance(0.7) },
        { limits: limits() },
        { reset_usage: true },
        { allowed_models: random.pick([null, ['gpt-5.1']]) },
        { team: random.pick([null, any(world.teams) ?? null]) },
        { owner: random.pick([null, 'administrator']) },
      ]);
      await send('PATCH', `/api/api-keys/${any(world.keys)?.id}`, change);
    },
    regenerateKey: () => send('POST', `/api/api-keys/${any(world.keys)?.id}/regenerate`),
    deleteKey: () => send('DELETE', `/api/api-keys/${remove(world.keys)?.id}`),
    async createTeam() {
      const { status, body } = await send('POST', '/api/teams', { name: `+team ${count}`, limits: limits() });
      if (status === 200) world.teams.push(body.id);
    },
    changeTeam: () =>
      send('PATCH', `/api/teams/${any(world.teams)}`, random.pick([{ limits: limits() }, { reset_usage: true }])),
    deleteTeam: () => send('DELETE', `/api/teams/${any(world.teams)}`),
    limitOwner: () =>
      send('PATCH', `/api/owners/${encodeURIComponent(any(world.owners) ?? 'new')}`, { limits: limits() }),
    allow: () => send('POST', '/api/firewall/ips', { ip_address: random.pick(['127.0.0.1', '10.0.0.1', '::2']) }),
    revoke: () => send('DELETE', `/api/firewall/ips/${random.pick(['127.0.0.1', '10.0.0.1', '::2'])}`),
    set: () =>
      gateway.set({
        routing_strategy: random.pick(['usage_weighted', 'round_robin']),
        sticky_threads_enabled: random.chance(0.8),
        prefer_earlier_reset_accounts: random.chance(0.3),
      }),
    pause: () => send('POST', `/api/accounts/${any(gateway.pool)?.id}/pause`),
    reactivate: () => send('POST', `/api/accounts/${any(gateway.pool)?.id}/reactivate`),
    async importAccount() {
      if (gateway.pool.length > 6) return;
      const at = gateway.provider.addAccount({});
      at.always(textResponse({ usage: USAGE }));
      gateway.pool.push({ at, id: await gateway.importAccount(at) });
    },
    async deleteAccount() {
      if (gateway.pool.length > 3) await send('DELETE', `/api/accounts/${remove(gateway.pool)?.id}`);
    },
    async invite() {
      const person = { name: `Ann ${count}`, email: `ann${count}@example.com`, role: random.pick(ROLES) };
      const { status, body } = await send('POST', '/api/operators', person);
      if (status === 200) world.operators.push(body.id);
    },
    /** Somebody accepts an invitation and makes a token. */
    async join() {
      const person = { name: `Cy ${count}`, email: `cy${count}@example.com`, role: random.pick(ROLES) };
      const { status, body } = await send('POST', '/api/operators', person);
      if (status !== 200) return;
      world.operators.push(body.id);
      const post = (path: string, content: unknown, cookie = '') => {
        const headers = { 'content-type': 'application/json', cookie };
        return fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(content) });
      };
      const [, secret = ''] = body.invitation_url.split('#');
      const accepted = await post('/api/dashboard-auth/invitation/accept', {
        token: secret,
        password: 'battery staple',
      });
      const [cookie = ''] = (accepted.headers.get('set-cookie') ?? '').split(';');
      const made = await post('/api/tokens', { name: `of ${person.name}`, role: 'member' }, cookie);
      const token = (await made.json()) as { id: string; token: string };
      world.tokens.push(token.id);
      people.push(token.token);
    },
    /** Somebody makes a key of their own, or tries what their role does not admit. */
    async act() {
      const [path, body] = random.pick([
        ['/api/api-keys', { name: `own ${count}` }],
        ['/api/firewall/ips', { ip_address: '10.0.0.2' }],
      ] as const);
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${any(people)}` };
      await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    },
    changeOperator: () =>
      send(
        'PATCH',
        `/api/operators/${any(world.operators)}`,
        random.pick([{ name: `Bea ${count}` }, { role: random.pick(ROLES) }, { is_active: random.chance(0.5) }]),
      ),
    removeOperator: () => send('DELETE', `/api/operators/${remove(world.operators)}`),
    async createToken() {
      const { status, body } = await send('POST', '/api/tokens', { name: `t ${count}`, role: random.pick(ROLES) });
      if (status === 200) world.tokens.push(body.id);
    },
    revokeToken: () => send('DELETE', `/api/tokens/${remove(world.tokens)}`),
    async hold() {
      const subject = random.pick([null, `apiKey-${any(world.keys)?.id}`]);
      const { status, body } = await send('POST', '/api/holds', { reason: `case ${count}`, subject });
      if (status === 200) world.holds.push(body.id);
    },
    liftHold: () => send('DELETE', `/api/holds/${remove(world.holds)}`, { reason: 'closed' }),
  };
  const weights: Readonly<Record<keyof typeof commands, number>> = {
    ...{
      ask: 30,
      createKey: 4,
      changeKey: 6,
      regenerateKey: 1,
      deleteKey: 1,
      createTeam: 2,
      changeTeam: 2,
      deleteTeam: 1,
    },
    ...{ limitOwner: 2, allow: 2, revoke: 3, set: 2, pause: 2, reactivate: 3, importAccount: 1, deleteAccount: 1 },
    ...{
      invite: 1,
      join: 2,
      act: 3,
      changeOperator: 3,
      removeOperator: 1,
      createToken: 2,
      revokeToken: 1,
      hold: 1,
      liftHold: 1,
    },
  };

  return {
    world,
    /** Does one of them. @returns its name */
    async next(): Promise<string> {
      count += 1;
      const name = random.weighted(weights);
      await commands[name]();
      return name;
    },
  };
}

export const USAGE = { inputTokens: 40, cachedTokens: 10, outputTokens: 30, reasoningTokens: 5 };
