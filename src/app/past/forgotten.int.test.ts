import { expect, test } from 'vitest';
import { completed } from '../../../test/support/management.ts';
import type { ApiKeyId } from '../../domain/core/brands.ts';
import { addressDigest, callersOfKey, originText } from '../../vault/callerKeys.ts';
import { runBlame } from './blameCommand.ts';
import { runDiff } from './diffCommand.ts';
import { aChangedFolder, headOf, printed, printedObject } from './pastFolder.support.ts';
import { runShow } from './showCommand.ts';

type Folder = Awaited<ReturnType<typeof aChangedFolder>>;

const show = ({ config }: Folder, subject: string, at: number, isJson = true) =>
  printed((given, io) => runShow({ subject, at: `${at}`, isJson }, given, io), config);
const shown = async (folder: Folder, subject: string, at: number) =>
  JSON.parse((await show(folder, subject, at))[0] ?? '');

test('names what was forgotten with a deleted account at every moment before', async () => {
  const folder = await aChangedFolder();
  const { stage, accountId, config } = folder;
  const before = headOf(stage);
  const subject = `account-${accountId}`;
  expect(await shown(folder, subject, before)).not.toHaveProperty('forgotten');
  await stage.call('DELETE', `/api/holds/${folder.holdId}`, { body: { reason: 'closed' } });
  await stage.call('DELETE', `/api/accounts/${accountId}`);

  const { accounts } = (await stage.call('GET', `/api/accounts?at=${before}`)).body;
  expect(accounts).toEqual([
    expect.objectContaining({ email: 'unknown@example.com', forgotten: ['email', 'display_name'] }),
  ]);
  expect(await shown(folder, subject, before)).toEqual(accounts[0]);
  const lines = await show(folder, subject, before, false);
  expect(lines.filter((line) => line.includes('(forgotten)'))).toEqual([
    expect.stringMatching(/^ {2}email +\(forgotten\)$/),
    expect.stringMatching(/^ {2}display_name +\(forgotten\)$/),
  ]);
  expect(lines.join('\n')).not.toContain('unknown@example.com');

  const { body: blamed } = await stage.call('GET', `/api/blame/${subject}?at=${before}`);
  const blame = await printedObject(
    (given, io) => runBlame({ subject, at: `${before}`, isJson: true }, given, io),
    config,
  );
  expect(blame).toEqual(blamed);
  const byPath = Object.fromEntries(blame.fields.map((field: { path: string }) => [field.path, field]));
  expect(byPath['/email']).toMatchObject({ is_forgotten: true, position: null, type: null });
  expect(byPath['/status']).toMatchObject({ is_forgotten: false, type: 'AccountPaused' });
  expect(byPath).not.toHaveProperty('/forgotten');
  const text = await printed((given, io) => runBlame({ subject, at: `${before}`, isJson: false }, given, io), config);
  expect(text).toContainEqual(expect.stringMatching(/^ {2}\/email +\(forgotten\)$/));
});

test('compares nothing that was forgotten between two moments', async () => {
  const folder = await aChangedFolder();
  const { stage, accountId, config } = folder;
  const last = headOf(stage);
  const [subject, from] = [`account-${accountId}`, String(last - 4)];
  await stage.call('DELETE', `/api/holds/${folder.holdId}`, { body: { reason: 'closed' } });
  await stage.call('DELETE', `/api/accounts/${accountId}`);
  const diff = (to: number, isJson: boolean) =>
    printed((given, io) => runDiff({ subject, from, to: `${to}`, isJson }, given, io), config);
  const paths = ['/email', '/display_name'];
  expect(JSON.parse((await diff(last, true))[0] ?? '')).toMatchObject({
    changes: expect.arrayContaining([{ path: '/status', before: 'active', after: 'paused' }]),
    forgotten: paths,
  });
  expect((await diff(last, false)).slice(-2)).toEqual(
    paths.map((path) => `  ${path.slice(1)}: forgotten, so that it is not compared`),
  );
  const gone = JSON.parse((await diff(headOf(stage), true))[0] ?? '');
  expect(gone).toMatchObject({ changes: [{ path: '', after: null }], forgotten: paths });
  expect(gone.changes[0].before).not.toHaveProperty('email');
});

test('names where a request came from once that was forgotten, and shows it before', async () => {
  const folder = await aChangedFolder();
  const { stage } = folder;
  const keyId = folder.keyId as ApiKeyId;
  const dataKey = await stage.vault.createKey(callersOfKey(keyId));
  const client = {
    sealed: stage.vault.seal(dataKey, originText('10.0.0.9', 'codex/1')),
    addressDigest: addressDigest(stage.vault, dataKey, '10.0.0.9'),
    name: 'codex',
    version: '1',
  };
  const at = await stage.append(completed({ requestId: 'asked', keyId, client } as Parameters<typeof completed>[0]));
  const row = async () => (await stage.call('GET', '/api/request-logs')).body.requests[0];
  expect(await row()).toMatchObject({ address: '10.0.0.9' });
  expect(await shown(folder, 'request-asked', at)).toEqual(await row());
  await stage.vault.destroy(callersOfKey(keyId));
  expect(await row()).toMatchObject({ address: null, user_agent: null, forgotten: ['address', 'user_agent'] });
  expect(await shown(folder, 'request-asked', at)).toEqual(await row());
});

test('names a forgotten person as the actor of an event, as an operator and as the owner of a key', async () => {
  const folder = await aChangedFolder();
  const { stage } = folder;
  const make = async (path: string, body: object) => (await stage.call('POST', path, { body })).body;
  const ada = await make('/api/operators', { name: 'Ada', email: 'ada@example.com', role: 'auditor' });
  await make('/api/api-keys', { name: 'of Ada', owner: ada.id });
  const at = headOf(stage);
  const get = async (path: string) => (await stage.call('GET', `${path}?at=${at}`)).body;
  expect(await get(`/api/operators/${ada.id}`)).not.toHaveProperty('forgotten');
  expect(await get(`/api/owners/${ada.id}`)).toMatchObject({ name: 'Ada' });
  await stage.call('DELETE', `/api/holds/${folder.holdId}`, { body: { reason: 'closed' } });
  expect((await stage.call('POST', `/api/operators/${ada.id}/forget`)).status).toBe(200);
  expect(await get(`/api/operators/${ada.id}`)).toMatchObject({ name: null, forgotten: ['name', 'email'] });
  expect(await get(`/api/owners/${ada.id}`)).toMatchObject({ name: null, forgotten: ['name'] });
  expect(await get('/api/owners/someone')).not.toHaveProperty('forgotten');
  expect(await shown(folder, `operator-${ada.id}`, at)).toEqual(await get(`/api/operators/${ada.id}`));
});

test('does not call forgotten what the vault that is at hand cannot open', async () => {
  const folder = await aChangedFolder();
  const config = { ...folder.config, SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };
  const errors: string[] = [];
  const lines: string[] = [];
  const io = { print: (line: string) => lines.push(line), printError: (line: string) => errors.push(line) };
  await runShow({ subject: `account-${folder.accountId}`, at: undefined, isJson: true }, config, io);
  expect(JSON.parse(lines[0] ?? '')).not.toHaveProperty('forgotten');
  expect(errors).toEqual([expect.stringContaining('E-mail addresses and other sealed values are not shown')]);
});
