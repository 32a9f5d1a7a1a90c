import { expect, test } from 'vitest';
import { setUp } from '../../../test/support/browser.ts';
import { completed, type Stage, startManagement } from '../../../test/support/management.ts';
import { join } from '../../../test/support/operators.ts';
import { NOW } from '../../../test/support/specification.ts';
import type { ApiKeyId } from '../../domain/core/brands.ts';

const rule = { limit_type: 'total_tokens', limit_window: 'weekly', max_value: 1_000 };

const api = (stage: Stage) => async (method: string, path: string, body?: object) => {
  const { status, body: response } = await stage.call(method, path, body === undefined ? {} : { body });
  return { status, body: response, code: response?.error?.code, message: response?.error?.message };
};

/** A key in a team, both of an owner, each with a limit; and the team's id. */
async function keyOfAll(stage: Stage) {
  const call = api(stage);
  const { body: team } = await call('POST', '/api/teams', { name: ' search ', limits: [rule] });
  await call('PATCH', '/api/owners/Ada%20L', { limits: [{ ...rule, on_exceeded: 'stop' }] });
  const { body: key } = await call('POST', '/api/api-keys', {
    name: 'k',
    owner: ' Ada L',
    team: team.id,
    limits: [rule],
  });
  return { call, team, key };
}

test('creates, lists, renames and deletes a team', async () => {
  const call = api(await startManagement());
  const { status, body: team } = await call('POST', '/api/teams', { name: ' search ', limits: [rule] });
  expect([status, team]).toEqual([
    200,
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'search',
      created_at: '2026-01-15T12:00:00.000Z',
      last_used_at: null,
      keys: 0,
      limits: [
        expect.objectContaining({ ...rule, id: 1, model_filter: null, on_exceeded: 'finish', current_value: 0 }),
      ],
    },
  ]);
  const renamed = { ...team, name: 'ads' };
  expect((await call('PATCH', `/api/teams/${team.id}`, { ...team, name: 'ads' })).body).toEqual(renamed);
  expect((await call('GET', '/api/teams')).body).toEqual([renamed]);
  expect((await call('GET', `/api/teams/${team.id}`)).body).toEqual(renamed);
  expect((await call('DELETE', `/api/teams/${team.id}`)).status).toBe(204);
  expect(await call('GET', `/api/teams/${team.id}`)).toMatchObject({ status: 404, code: 'team_not_found' });
  // The position after its creation.
  expect((await call('GET', `/api/teams/${team.id}?at=1`)).body.name).toBe('search');
});

test('lists the owners of the keys in a team: people by name, then other owners, then the keys without one', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const [mia, ada] = [
    await join(stage, administrator, 'Mia', 'member'),
    await join(stage, administrator, 'Ada', 'member'),
  ];
  const { body: team } = await administrator.call('POST', '/api/teams', { body: { name: 'search' } });
  const { body: other } = await administrator.call('POST', '/api/teams', { body: { name: 'other' } });
  const keyOf = async (name: string, owner: string | undefined, teamId = team.id) =>
    (await administrator.call('POST', '/api/api-keys', { body: { name, owner, team: teamId } })).body.id as string;
  const none = await keyOf('shared', undefined);
  const script = await keyOf('script', 'batch job');
  const first = await keyOf('laptop', mia.id);
  const second = await keyOf('desktop', mia.id);
  await keyOf('elsewhere', ada.id, other.id);
  const of = async (client: Pick<typeof mia, 'call'>, query = '') =>
    (await client.call('GET', `/api/teams/${team.id}/members${query}`)).body;
  const before = stage.hot.state.position;
  const active = (id: string, name: string) => ({ id, name, is_active: true });
  const members = [
    { owner: mia.id, name: 'Mia', keys: [active(first, 'laptop'), active(second, 'desktop')] },
    { owner: 'batch job', name: null, keys: [active(script, 'script')] },
    { owner: null, name: null, keys: [active(none, 'shared')] },
  ];
  expect(await of(administrator)).toEqual({ members });
  await administrator.call('PATCH', `/api/api-keys/${second}`, { body: { is_active: false, team: other.id } });
  const [entry] = (await of(administrator)).members;
  expect(entry).toEqual({ owner: mia.id, name: 'Mia', keys: [active(first, 'laptop')] });
  expect(await of(administrator, `?at=${before}`)).toEqual({ members });
  // Colleagues are no part of what a member owns.
  expect((await mia.call('GET', `/api/teams/${team.id}/members`)).status).toBe(403);
  const unknown = await administrator.call('GET', '/api/teams/unknown/members');
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'team_not_found']);
});

test('refuses to delete a team with keys, and says how many', async () => {
  const { call, team, key } = await keyOfAll(await startManagement());
  const refused = await call('DELETE', `/api/teams/${team.id}`);
  expect(refused).toMatchObject({ status: 409, code: 'team_not_empty' });
  expect(refused.message).toBe('Team "search" has 1 API keys. Move them to another team or delete them first.');
  expect((await call('PATCH', `/api/api-keys/${key.id}`, { team: null })).body.team).toBeNull();
  expect((await call('DELETE', `/api/teams/${team.id}`)).status).toBe(204);
});

test.each([
  ['POST', '/api/teams', {}, 'invalid_team', 'name is missing'],
  ['POST', '/api/teams', { name: ' ' }, 'invalid_team', 'name must have 1 to 128 characters'],
  ['POST', '/api/teams', { name: 'x'.repeat(129) }, 'invalid_team', 'name must have 1 to 128 characters'],
  ['POST', '/api/teams', { name: 'a', color: 1 }, 'invalid_team', 'color is not a known field'],
  ['POST', '/api/teams', { name: 'a', limits: [rule, rule] }, 'invalid_team', /^limits\.1 repeats a rule/],
  ['POST', '/api/teams', { name: 'a', limits: [{ ...rule, max_value: 0 }] }, 'invalid_team', /^limits\.0\.max_value/],
  ['PATCH', '/api/owners/%20', { limits: [] }, 'invalid_owner', 'owner must have 1 to 128 characters'],
  ['PATCH', `/api/owners/${'x'.repeat(129)}`, {}, 'invalid_owner', 'owner must have 1 to 128 characters'],
  ['PATCH', '/api/owners/a%00b', {}, 'invalid_owner', /^owner must be well-formed text/],
  ['PATCH', '/api/owners/Ada', { limits: 7 }, 'invalid_owner', 'limits must be an array'],
  ['POST', '/api/api-keys', { name: 'k', team: 'none' }, 'invalid_api_key_payload', /^team must be the id of a team/],
  ['POST', '/api/api-keys', { name: 'k', owner: '' }, 'invalid_api_key_payload', /^owner must have 1 to 128/],
  ['POST', '/api/api-keys', { name: 'k', owner: '..' }, 'invalid_api_key_payload', 'owner must not be "." or ".."'],
])('answers %s %s %j with 400 %s', async (method, path, body, code, message) => {
  const refused = await api(await startManagement())(method, path, body);
  expect(refused).toMatchObject({ status: 400, code, message: expect.stringMatching(message) });
});

test('limits an owner before its first key, and shows owners while they have keys or limits', async () => {
  const call = api(await startManagement());
  expect(await call('GET', '/api/owners/Ada')).toMatchObject({ status: 404, code: 'owner_not_found' });
  const { body: ada } = await call('PATCH', '/api/owners/Ada', { limits: [rule] });
  const shown = { owner: 'Ada', name: null, keys: 0, last_used_at: null, limits: [expect.objectContaining(rule)] };
  expect(ada).toEqual(shown);
  await call('POST', '/api/api-keys', { name: 'k', owner: 'a/b' });
  expect((await call('GET', '/api/owners')).body.map(({ owner }: { owner: string }) => owner)).toEqual(['Ada', 'a/b']);
  expect((await call('GET', '/api/owners/a%2Fb')).body).toMatchObject({ owner: 'a/b', keys: 1, limits: [] });
  await call('PATCH', '/api/owners/Ada', { limits: null });
  expect((await call('GET', '/api/owners/Ada')).status).toBe(404);
  expect((await call('GET', '/api/owners?at=1')).body).toEqual([ada]);
});

test('counts a request where its key belonged, and moves no usage with the key', async () => {
  const stage = await startManagement();
  const { call, team, key } = await keyOfAll(stage);
  const { body: other } = await call('POST', '/api/teams', { name: 'ads', limits: [rule] });
  const request = (owner: string, of: { id: string }) =>
    completed({ keyId: key.id as ApiKeyId, owner, team: of.id, requestedAt: NOW });
  const used = async () =>
    Promise.all(
      [`/api/teams/${team.id}`, `/api/teams/${other.id}`, '/api/owners/Ada%20L'].map(
        async (path) => (await call('GET', path)).body.limits[0].current_value,
      ),
    );
  await stage.append(request('Ada L', team));
  const [first] = await used();
  expect(first).toBeGreaterThan(0);
  expect(await used()).toEqual([first, 0, first]);
  const moved = await call('PATCH', `/api/api-keys/${key.id}`, { team: other.id, owner: 'Grace' });
  expect(moved.body).toMatchObject({ team: other.id, owner: 'Grace' });
  expect(await used()).toEqual([first, 0, first]);
  // One that was admitted before the move ends after it.
  await stage.append(request('Ada L', team));
  await stage.append(request('Grace', other));
  expect(await used()).toEqual([2 * first, first, 2 * first]);
  await call('PATCH', `/api/teams/${team.id}`, { reset_usage: true });
  expect(await used()).toEqual([0, first, 2 * first]);
  await call('PATCH', '/api/owners/Ada%20L', { reset_usage: true });
  expect(await used()).toEqual([0, first, 0]);
});

test('keeps the further keys of a member in their teams', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const ada = await join(stage, administrator, 'Ada', 'member');
  const post = async (client: typeof ada | typeof administrator, path: string, body: object) => {
    const { status, body: response } = await client.call('POST', path, { body });
    return { status, ...response };
  };
  const [search, ads, closed] = [
    await post(administrator, '/api/teams', { name: 'search', limits: [rule] }),
    await post(administrator, '/api/teams', { name: 'ads' }),
    await post(administrator, '/api/teams', { name: 'closed' }),
  ];
  const make = async (fields: object) => {
    const { status, team, error } = await post(ada, '/api/api-keys', { name: 'k', ...fields });
    return status === 200 ? team : [status, error.message];
  };
  expect(await make({})).toBeNull();
  expect(await make({ team: search.id })).toEqual([400, 'team must be null: no key of yours is in a team']);
  const placed = { name: 'first', owner: ada.id };
  await post(administrator, '/api/api-keys', { ...placed, team: search.id });
  // Without a team, the key would escape the limits of the team.
  expect(await make({})).toBe(search.id);
  expect(await make({ team: null })).toEqual([400, `team must be one of your teams: ${search.id}`]);
  expect(await make({ team: closed.id })).toEqual([400, `team must be one of your teams: ${search.id}`]);
  await post(administrator, '/api/api-keys', { ...placed, team: ads.id });
  expect(await make({ team: ads.id })).toBe(ads.id);
  expect(await make({})).toEqual([400, `team must be one of your teams: ${search.id}, ${ads.id}`]);
});

test('shows members the teams of their keys, and lets them change none', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const ada = await join(stage, administrator, 'Ada', 'member');
  const post = async (path: string, body: object) => (await administrator.call('POST', path, { body })).body;
  const [own, other] = [
    await post('/api/teams', { name: 'search', limits: [rule] }),
    await post('/api/teams', { name: 'ads' }),
  ];
  await post('/api/api-keys', { name: 'k', owner: ada.id, team: own.id });
  await post('/api/api-keys', { name: 'k', owner: 'Ada', team: other.id });
  const listed = (await ada.call('GET', '/api/teams')).body;
  expect(listed.map(({ name }: { name: string }) => name)).toEqual(['search']);
  expect((await ada.call('GET', '/api/owners')).body).toMatchObject([{ owner: ada.id, keys: 1 }]);
  const status = async (method: string, path: string, body?: object) =>
    (await ada.call(method, path, body === undefined ? {} : { body })).status;
  expect(await status('GET', `/api/teams/${own.id}`)).toBe(200);
  expect(await status('GET', `/api/teams/${other.id}`)).toBe(404);
  expect(await status('PATCH', `/api/teams/${own.id}`, { name: 'mine' })).toBe(403);
  expect(await status('POST', '/api/teams', { name: 'mine' })).toBe(403);
  expect(await status('PATCH', `/api/owners/${ada.id}`, { limits: [] })).toBe(403);
});
