import { expect, test } from 'vitest';
import { completed } from '../../../test/support/management.ts';
import { NodeStarted } from '../../domain/audit/events.ts';
import type { AccountId, ApiKeyId } from '../../domain/core/brands.ts';
import { parseBlameArguments, runBlame } from './blameCommand.ts';
import { aChangedFolder, filesIn, headOf, printed, printedObject } from './pastFolder.support.ts';
import { runShow } from './showCommand.ts';

const DAILY = { limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000 };

type Folder = Awaited<ReturnType<typeof aChangedFolder>>;

function commandOf(...args: string[]) {
  const command = parseBlameArguments(args);
  if (!command) throw new Error('usage');
  return command;
}

async function blamed({ config }: Folder, ...args: string[]) {
  const { fields, ...rest } = await printedObject(
    (given, io) => runBlame(commandOf(...args, '--json'), given, io),
    config,
  );
  const byPath = Object.fromEntries(
    fields.map(({ path, type, source, value }: Record<string, unknown>) => [path, [value, type ?? source]]),
  );
  return { ...rest, fields, byPath };
}

test('names for each field of a key the event that set it, and changes no file', async () => {
  const folder = await aChangedFolder();
  const { stage, keyId, accountId } = folder;
  await stage.append(completed({ keyId: keyId as ApiKeyId, accountId: accountId as AccountId }));
  const before = filesIn(folder.folder);
  const { byPath, subject, fields } = await blamed(folder, 'team blue');
  expect(subject).toBe(`apiKey-${keyId}`);
  expect(byPath).toMatchObject({
    '/name': ['team blue', 'ApiKeyRenamed'],
    '/is_active': [false, 'ApiKeyDeactivated'],
    '/key_prefix': [expect.any(String), 'ApiKeyCreated'],
    '/limits/1/max_value': [1_000, 'ApiKeyCreated'],
    '/limits/1/reset_at': [expect.any(String), 'clock'],
    '/limits/1/reserved_value': [0, 'open_requests'],
    '/last_used_at': [expect.any(String), 'RequestCompleted'],
  });
  const { body: keys } = await stage.call('GET', '/api/api-keys');
  const key = keys.find(({ id }: { id: string }) => id === keyId);
  expect(Object.keys(byPath).filter((path) => !path.startsWith('/limits/'))).toEqual(
    Object.keys(key).flatMap((name) => (name === 'limits' ? [] : [`/${name}`])),
  );
  expect(fields.find(({ path }: { path: string }) => path === '/name')).toMatchObject({
    actor: { kind: 'operator', address: '127.0.0.1' },
    sentence: expect.stringContaining('team blue'),
  });
  expect(filesIn(folder.folder)).toEqual(before);
});

test('gives an item of a list to the event that changed it, not to those of its neighbours', async () => {
  const folder = await aChangedFolder();
  await folder.stage.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.2' } });
  const { fields } = await blamed(folder, 'firewall');
  const positions = new Map(fields.map(({ path, position }: Record<string, unknown>) => [path, position]));
  const head = headOf(folder.stage);
  expect(positions.get('/entries/10.0.0.2/created_at')).toBe(head);
  expect(positions.get('/entries/10.0.0.1/created_at')).toBeLessThan(head);
  expect(positions.get('/mode')).toBe(positions.get('/entries/10.0.0.1/created_at'));
});

test('says which fields of an account were set by whom, and which settings were never changed', async () => {
  const folder = await aChangedFolder();
  const { byPath } = await blamed(folder, `account-${folder.accountId}`);
  expect(byPath).toMatchObject({
    '/status': ['paused', 'AccountPaused'],
    '/email': [expect.stringContaining('@'), 'AccountImported'],
    '/auth/access/expires_at': [expect.anything(), 'AccountImported'],
    '/usage/primary_remaining_percent': [100, 'usage'],
  });
  expect((await blamed(folder, 'settings')).byPath).toMatchObject({
    '/routing_strategy': ['round_robin', 'SettingsChanged'],
    '/api_key_auth_enabled': [false, 'event'],
  });
});

test('blames the fields as they were at an earlier moment', async () => {
  const folder = await aChangedFolder();
  const { byPath, position } = await blamed(folder, folder.keyId, '--at', '2');
  expect(position).toBe(2);
  expect(byPath['/name']).toEqual(['team \u001b[31mred', 'ApiKeyCreated']);
});

test('names who set the fields of teams, owners, operators and tokens, as their GETs show them', async () => {
  const folder = await aChangedFolder();
  const { stage } = folder;
  const make = async (path: string, body: object) => (await stage.call('POST', path, { body })).body;
  const team = await make('/api/teams', { name: '=team', limits: [DAILY] });
  const invited = { name: 'Ada', email: 'ada@example.com', role: 'auditor' };
  const { invitation_url: _, ...operator } = await make('/api/operators', invited);
  const { token: _value, ...token } = await make('/api/tokens', { name: 'deploy', role: 'auditor' });
  // An owner without limits exists while a key names it.
  await make('/api/api-keys', { name: 'k', owner: 'r&d', team: team.id });
  await stage.call('PATCH', `/api/teams/${team.id}`, { body: { name: '+team' } });
  await stage.call('PATCH', `/api/operators/${operator.id}`, { body: { name: 'Ada B.' } });
  expect((await blamed(folder, 'team:+team')).byPath).toMatchObject({
    '/name': ['+team', 'TeamRenamed'],
    '/keys': [1, 'api_keys'],
    '/limits/1/max_value': [1_000, 'TeamCreated'],
    '/limits/1/reserved_value': [0, 'open_requests'],
  });
  expect((await blamed(folder, 'owner:r&d')).byPath).toMatchObject({ '/owner': ['r&d', 'api_keys'] });
  expect((await blamed(folder, operator.id)).byPath).toMatchObject({
    '/name': ['Ada B.', 'OperatorProfileChanged'],
    '/role': ['auditor', 'OperatorInvited'],
  });
  expect((await blamed(folder, 'token:deploy')).byPath).toMatchObject({
    '/name': ['deploy', 'ManagementTokenCreated'],
    '/owner/name': ['Built-in administrator', 'operators'],
    '/is_valid': [true, 'clock'],
  });
  for (const [subject, path] of [
    [`team-${team.id}`, `/api/teams/${team.id}`],
    ['owner-r%26d', '/api/owners/r%26d'],
    [`operator-${operator.id}`, `/api/operators/${operator.id}`],
    [`managementToken-${token.id}`, `/api/tokens/${token.id}`],
  ] as const) {
    const show = { subject, at: String(headOf(stage)), isJson: true };
    const shown = await printedObject((config, io) => runShow(show, config, io), folder.config);
    expect(shown).toEqual((await stage.call('GET', `${path}?at=${headOf(stage)}`)).body);
  }
});

test('refuses what does not exist, and kinds without fields of their own', async () => {
  const folder = await aChangedFolder();
  await expect(blamed(folder, 'api-key:none')).rejects.toThrow('There is no "api-key:none"');
  await folder.stage.append(NodeStarted({ node: 'n1', boot: 'b1', version: '1', previous: null }));
  await expect(blamed(folder, 'node-n1')).rejects.toThrow('Events are not blamed for node');
  const lines = await printed((config, io) => runBlame(commandOf('settings'), config, io), folder.config);
  expect(lines[1]).toMatch(/^ {2}\/sticky_threads_enabled +true {2}/);
  expect(() => parseBlameArguments([])).toThrow('SUBJECT is missing.');
});
