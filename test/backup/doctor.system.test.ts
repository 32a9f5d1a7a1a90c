import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { runSvc } from './support/runSvc.ts';
import { filesIn, loadedService } from './support/stage.ts';

vi.setConfig({ testTimeout: 120_000 });

/** A provider whose clock differs from ours. @returns its base URL */
async function providerAt(aheadMs: number): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString());
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const resultsOf = (stdout: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    JSON.parse(stdout[0] as string).checks.map(({ name, result }: Record<string, string>) => [name, result]),
  );

test('finds nothing wrong beside a running service, and changes no file of a stopped one', async () => {
  const { folder, service } = await loadedService();
  const env = { SVC_UPSTREAM_BASE_URL: await providerAt(0) };
  const beside = await runSvc(folder, ['doctor', '--json'], env);
  expect(beside.exitCode, beside.stdout.join('\n')).toBe(0);
  expect(resultsOf(beside.stdout)).toMatchObject({
    folder: 'ok',
    permissions: 'ok',
    vault: 'ok',
    provider: 'ok',
    clock: 'ok',
  });
  await service.stop();
  const before = filesIn(folder);
  const stopped = await runSvc(folder, ['doctor'], env);
  expect([stopped.exitCode, stopped.stdout[0]]).toEqual([0, 'ok      configuration: all settings are valid']);
  expect(filesIn(folder)).toEqual(before);
});

test('names each thing that is wrong, one line each, with its remedy', async () => {
  await using folder = await tempDir('doctor');
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at('data'));
  writeFileSync(at('data/log.sqlite'), '');
  writeFileSync(at('data/master.key'), 'x');
  chmodSync(at('data/master.key'), 0o644);
  const found = await runSvc(at('data'), ['doctor'], {
    SVC_UPSTREAM_BASE_URL: await providerAt(-3_600_000),
    SVC_MONGODB_URL: 'mongodb://user:secret@127.0.0.1:1/svc',
  });
  expect(found.exitCode).toBe(1);
  const text = found.stdout.join('\n');
  for (const line of [
    /^failed +permissions: .*master\.key can be read by other users\. chmod 600 /m,
    /^failed +vault: vault\.sqlite is missing\. Restore it/m,
    /^failed +clock: is 3\d{3} s ahead of the provider\. Set the clock/m,
    /^failed +mongodb: 127\.0\.0\.1:1: .*ECONNREFUSED.*\. Start MongoDB/m,
  ])
    expect(text).toMatch(line);
  expect(text).not.toContain('secret');

  const refused = await runSvc(at('data'), ['doctor', '--json'], { SVC_PORT: 'x', SVC_HOSTT: 'y' });
  expect([
    refused.exitCode,
    JSON.parse(refused.stdout[0] as string).checks.map(({ name }: { name: string }) => name),
  ]).toEqual([1, ['configuration', 'configuration']]);
  const unreachable = await runSvc(at('data'), ['doctor'], { SVC_PROXY_URL: 'http://127.0.0.1:1' });
  expect(unreachable.stdout.join('\n')).toMatch(/^failed +proxy: 127\.0\.0\.1:1: /m);
});
