import { readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkPublished } from '../../src/integrity/published/checkPublished.ts';
import { readPublished } from '../../src/integrity/published/readPublished.ts';
import { change, stage, vkeyOf } from '../support/integrity/publishingStage.ts';
import { startProxyProgram } from '../support/proxies/proxyProgram.ts';

vi.setConfig({ testTimeout: 120_000 });

test('publishes at the stop what covers the last event, also without anything else to publish to', async () => {
  const { use, check, at, sizes } = await stage();
  await use('a');
  await use('a');
  expect(check('a')).toMatchObject({ problems: [], origins: [{ continues: undefined }] });
  expect(sizes().length).toBeGreaterThanOrEqual(2);
  expect(
    readdirSync(at('a'))
      .filter((name) => name.startsWith('checkpoint'))
      .sort(),
  ).toEqual(['checkpoint.key', 'checkpoint.pub', 'checkpoints.mark', 'checkpoints.sqlite']);
});

test('of a folder that was copied and started twice, one signs and the other says that it does not', async () => {
  const { use, copy, check, sizes, at } = await stage();
  await use('original');
  copy('original', 'copy');
  await use('copy');
  const before = sizes();
  const lines = await use('original');
  expect(lines).toMatch(
    /Another copy of this log publishes checkpoints under its origin: .*\.checkpoint has one of size \d+/,
  );
  expect(lines).toContain('svc accept-loss');
  expect(sizes()).toEqual(before);
  expect(check('original').problems).toEqual([]);
  expect(vkeyOf(at('copy'))).toEqual(vkeyOf(at('original')));
});

test('a restored older copy signs nothing before accept-loss, which begins a new origin', async () => {
  const { use, copy, check, command, at, sizes } = await stage();
  await use('a');
  copy('a', 'backup');
  const first = vkeyOf(at('a'));
  await use('a');
  const last = sizes().at(-1);
  rmSync(at('a'), { recursive: true });
  copy('backup', 'a');
  const accepted = await command('a', 'accept-loss');
  expect(accepted.stdout.join('\n')).toMatch(new RegExp(`proves that it reached position ${last}`));
  expect(accepted.stdout.at(-1)).toBe('svc can be started now.');
  expect(await use('a')).not.toContain('No checkpoint');
  const { origins, problems } = check('a');
  expect(problems).toEqual([]);
  expect(origins.map(({ continues }) => continues?.size)).toEqual([undefined, last]);
  expect(vkeyOf(at('a')).name).toMatch(new RegExp(`^${first.name}/2-[0-9a-f]{8}$`));
  expect((await command('a', 'accept-loss')).stdout).toEqual(['Nothing is missing, so nothing was changed.']);

  // The same after the restored copy was in use for a while.
  rmSync(at('a'), { recursive: true });
  copy('backup', 'a');
  expect(await use('a')).toContain('Another copy of this log');
  await command('a', 'accept-loss');
  expect(await use('a')).not.toContain('No checkpoint');
  expect(check('a').problems).toEqual([]);
  // Two copies that each go on have different origins.
  expect(new Set(check('a').origins.map(({ origin }) => origin)).size).toBe(3);
});

test('verifies with a note after accept-loss in a restored copy that was in use beside the original', async () => {
  const { use, copy, command, at, published } = await stage();
  await use('a');
  copy('a', 'copy');
  await use('a');
  expect(await use('copy')).toContain('Another copy of this log');
  const accepted = await command('copy', 'accept-loss');
  expect(accepted.stdout.join('\n')).toMatch(
    /up to position \d+ only: the \d+ behind it are missing, and it has \d+ others/,
  );
  expect(await use('copy')).not.toContain('No checkpoint');
  const verified = await command(
    'copy',
    `verify --checkpoints ${published} --public-key ${join(at('copy'), 'checkpoint.pub')}`,
  );
  expect(verified.stdout.join('\n')).toMatch(/^\d+ events in .* s: intact$/);
  expect(verified.stderr.join('\n')).toMatch(/Accepted at position .*\n.*cover events that were accepted as lost/s);
  expect(verified.exitCode).toBe(0);
});

test('goes on with another key that the earlier one has signed, and without it under a new origin', async () => {
  const { use, check, command, at, published } = await stage();
  await use('a');
  const first = vkeyOf(at('a'));
  const keys = ['11', '22', '33'].map((byte) => byte.repeat(32)) as [string, string, string];
  // The key in the data folder is at hand.
  expect(await use('a', { SVC_CHECKPOINT_KEY: keys[0] })).not.toContain('No checkpoint');
  expect(await use('a', { SVC_CHECKPOINT_KEY: keys[1] })).toMatch(/SVC_CHECKPOINT_KEY_BEFORE/);
  expect(await use('a', { SVC_CHECKPOINT_KEY: keys[1], SVC_CHECKPOINT_KEY_BEFORE: keys[0] })).not.toContain(
    'code=checkpoint',
  );
  const { problems, keys: accepted } = checkPublished(readPublished(published), [first]);
  expect({ problems, accepted: accepted.length }).toEqual({ problems: [], accepted: 3 });
  const { stdout } = await command('a', 'accept-loss --checkpoint-key', { SVC_CHECKPOINT_KEY: keys[2] });
  expect(stdout.join()).toContain(`of ${first.name}`);
  expect(await use('a', { SVC_CHECKPOINT_KEY: keys[2] })).not.toContain('No checkpoint');
  expect(vkeyOf(at('a')).name).toMatch(new RegExp(`^${first.name}/2-`));
  const both = checkPublished(readPublished(published), [first, vkeyOf(at('a'))]);
  expect(both.problems).toEqual([]);
  expect(both.origins[1]?.continues?.origin).toBe(first.name);
  expect(check('a').problems.length).toBeGreaterThan(0);
});

test.each([
  [
    'SVC_CHECKPOINT_KEY',
    { SVC_CHECKPOINT_KEY: 'secret' },
    /SVC_CHECKPOINT_KEY: must be a private key of Ed25519.*openssl rand/,
  ],
  ['SVC_CHECKPOINT_KEY_FILE', { SVC_CHECKPOINT_KEY_FILE: '/nowhere/key' }, /\/nowhere\/key is missing/],
  [
    'both keys',
    { SVC_CHECKPOINT_KEY_FILE: '/a', SVC_CHECKPOINT_KEY: '11'.repeat(32) },
    /SVC_CHECKPOINT_KEY_FILE: must not be set together/,
  ],
  ['SVC_CHECKPOINT_URL', { SVC_CHECKPOINT_URL: 'ftp://a' }, /SVC_CHECKPOINT_URL: must be an http or https URL/],
  ['a witness without its key', { SVC_CHECKPOINT_WITNESS_URL: 'http://a' }, /SVC_CHECKPOINT_WITNESS_KEY: must be set/],
  [
    'the key of a log for a witness',
    { SVC_CHECKPOINT_WITNESS_KEY: 'a+1+b' },
    /SVC_CHECKPOINT_WITNESS_KEY: must be the verifier key of a witness/,
  ],
])('refuses to start with wrong settings (%s), and says what to do', async (_what, env, said) => {
  const { start } = await stage();
  const { exitCode, stderr } = await start('a', env).ended;
  expect(exitCode).toBe(1);
  expect(stderr.join('\n')).toMatch(said);
  expect(stderr.join('\n')).not.toContain('secret');
});

test('gives a target that does not respond 2 s at the stop, and catches up after the next start', async () => {
  const posted: string[] = [];
  let isSilent = true;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (isSilent) return;
    posted.push(body);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const { start, use, sizes } = await stage();
  const env = { SVC_CHECKPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  const service = start('a', env);
  await change(await service.listening());
  const began = performance.now();
  await service.stop();
  expect(performance.now() - began).toBeLessThan(8_000);
  expect(sizes().length).toBeGreaterThan(0);
  isSilent = false;
  await use('a', env);
  expect(posted.map((note) => Number(note.split('\n')[1]))).toEqual(sizes());
});

test('posts through the outgoing proxy of the environment', async () => {
  const posted: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    posted.push(body);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const proxy = await startProxyProgram({ kind: 'http', names: { 'auditor.example': '127.0.0.1' } });
  onTestFinished(() => proxy.close());
  const { use, sizes } = await stage();
  await use('a', { SVC_CHECKPOINT_URL: `http://auditor.example:${port}/checkpoints`, HTTP_PROXY: proxy.url });
  expect(proxy.asked.length).toBeGreaterThan(0);
  expect(posted.map((note) => Number(note.split('\n')[1]))).toEqual(sizes());
});
