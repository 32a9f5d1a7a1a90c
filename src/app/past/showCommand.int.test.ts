import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeSnapshot } from '../../../test/support/takeSnapshot.ts';
import { parseDiffArguments, runDiff } from './diffCommand.ts';
import { aChangedFolder, filesIn, headOf, printed, printedObject } from './pastFolder.support.ts';
import { parseShowArguments, runShow } from './showCommand.ts';

const show = (folder: Awaited<ReturnType<typeof aChangedFolder>>, ...args: string[]) => {
  const command = parseShowArguments([...args, '--json']);
  if (!command) throw new Error('usage');
  return printedObject((config, io) => runShow(command, config, io), folder.config);
};
const diff = (folder: Awaited<ReturnType<typeof aChangedFolder>>, ...args: string[]) => {
  const command = parseDiffArguments([...args, '--json']);
  if (!command) throw new Error('usage');
  return printedObject((config, io) => runDiff(command, config, io), folder.config);
};

test('shows what the API returned at every moment, beside the service and without a change of a file', async () => {
  const folder = await aChangedFolder();
  const { stage, accountId, keyId, holdId } = folder;
  const before = filesIn(folder.folder);
  for (let at = 1; at <= headOf(stage); at += 1) {
    const get = async (path: string) => (await stage.call('GET', `${path}?at=${at}`)).body;
    const { accounts } = await get('/api/accounts');
    const absent = { message: expect.stringMatching(/^There is no /) };
    const [account] = accounts;
    if (account) expect(await show(folder, `account-${accountId}`, '--at', `${at}`)).toEqual(account);
    else await expect(show(folder, `account:${accountId}`, '--at', `${at}`)).rejects.toMatchObject(absent);
    const key = (await get('/api/api-keys')).find(({ id }: { id: string }) => id === keyId);
    if (key) {
      expect(await show(folder, `apiKey-${keyId}`, '--at', `${at}`)).toEqual(key);
      expect(await show(folder, key.name, '--at', `${at}`)).toEqual(key);
      expect(await show(folder, `api-key:${key.key_prefix}`, '--at', `${at}`)).toEqual(key);
    } else await expect(show(folder, `api-key:${keyId}`, '--at', `${at}`)).rejects.toMatchObject(absent);
    expect(await show(folder, 'settings', '--at', `${at}`)).toEqual(await get('/api/settings'));
    const { caller_address: _, ...allowlist } = await get('/api/firewall/ips');
    expect(await show(folder, 'firewall-main', '--at', `${at}`)).toEqual(allowlist);
    const holds = await get('/api/holds');
    expect(await show(folder, 'holds', '--at', `${at}`)).toEqual(holds);
    const [hold] = holds.holds;
    if (hold) expect(await show(folder, `hold:${holdId}`, '--at', `${at}`)).toEqual(hold);
    expect(await show(folder, 'clock', '--at', `${at}`)).toEqual(await get('/api/clock'));
  }
  expect(filesIn(folder.folder)).toEqual(before);
});

test('continues from a snapshot, also back to before it', async () => {
  const folder = await aChangedFolder();
  const { stage, keyId } = folder;
  takeSnapshot(folder.folder);
  await stage.call('PATCH', `/api/api-keys/${keyId}`, { body: { name: 'team green' } });
  expect(await show(folder, keyId)).toMatchObject({ name: 'team green' });
  expect(await show(folder, keyId, '--at', `${headOf(stage) - 1}`)).toMatchObject({ name: 'team blue' });
  expect(await show(folder, keyId, '--at', '2')).toMatchObject({ name: 'team \u001b[31mred' });
});

test('names a time by the last event that was written by then', async () => {
  const folder = await aChangedFolder();
  const { stage, keyId } = folder;
  const at = headOf(stage);
  stage.clock.now = (stage.clock.now + 3_600_000) as typeof stage.clock.now;
  await stage.call('PATCH', `/api/api-keys/${keyId}`, { body: { name: 'later' } });
  const between = new Date(stage.clock.now - 1).toISOString();
  expect(await show(folder, keyId, '--at', between)).toMatchObject({ name: 'team blue' });
  expect(await show(folder, keyId, '--at', new Date(stage.clock.now).toISOString())).toMatchObject({ name: 'later' });
  expect(await diff(folder, keyId, '--from', between)).toMatchObject({
    subject: `apiKey-${keyId}`,
    from: { position: at, time: between },
    changes: expect.arrayContaining([{ path: '/name', before: 'team blue', after: 'later' }]),
  });
});

const cleanups: (() => void | Promise<void>)[] = [];
let shared: Awaited<ReturnType<typeof aChangedFolder>>;
beforeAll(async () => {
  shared = await aChangedFolder((cleanup) => void cleanups.unshift(cleanup));
});
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

test('says which fields differ, and that a resource was created', async () => {
  const at = String(headOf(shared.stage));
  const { changes } = await diff(shared, `account-${shared.accountId}`, '--from', '1', '--to', at);
  expect(changes).toContainEqual({ path: '/status', before: 'active', after: 'paused' });
  const created = await diff(shared, shared.keyId, '--from', '1', '--to', at);
  expect(created.changes).toEqual([
    { path: '', before: null, after: expect.objectContaining({ name: 'team blue', is_active: false }) },
  ]);
  expect((await diff(shared, 'settings', '--from', at, '--to', at)).changes).toEqual([]);
});

test.each([
  [['api-key:twin'], /^"api-key:twin" could be several: apiKey-\S+, apiKey-\S+\. Name one of them\.$/],
  [['api-key:teem blue'], /Did you mean apiKey-/],
  [['setings'], /Did you mean settings-main\?$/],
  [['request-nowhere'], /^There is no "request-nowhere" at position/],
  [['settings', '--at', '99999'], /^--at lies beyond the log, which ends at \d+\.$/],
  [['settings', '--at', 'yesterday'], /^--at must be a position of the log or an ISO 8601 time\.$/],
  [['settings', '--at', '2999-01-01'], /^--at lies in the future\.$/],
])('refuses %j by name', async (args, message) => {
  await expect(show(shared, ...args)).rejects.toThrow(message);
});

test('refuses arguments that it does not have', () => {
  expect(() => parseShowArguments([])).toThrow('SUBJECT is missing.');
  expect(() => parseShowArguments(['settings', 'more'])).toThrow('more is one argument too many.');
  expect(() => parseShowArguments(['settings', '--form', '1'])).toThrow('There is no option --form.');
  expect(() => parseDiffArguments(['settings'])).toThrow('--from is missing.');
});

test('prints each field as a line, without secrets', async () => {
  const command = { subject: shared.keyId, at: undefined, isJson: false };
  const lines = await printed((config, io) => runShow(command, config, io), shared.config);
  expect(lines[0]).toMatch(/^apiKey-\S+ at position \d+ \(\S+Z\)$/);
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}name +"team blue"$/));
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}limits\/0\/max_value +1000$/));
  expect(lines.join('\n')).not.toMatch(/hash|sealed\.|[0-9a-f]{64}/);
});
