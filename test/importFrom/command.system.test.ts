import { expect, onTestFinished, test } from 'vitest';
import { codexLbFolder } from '../support/codexLb/codexLbFolder.ts';
import { startGateway } from '../support/gateway.ts';
import { emptyFolder, IN_WINDOW, importInto, readEvents, SLOW, svc } from './importStage.ts';

test('names the import in the history, before what it brings, under one correlation id', SLOW, async () => {
  const folder = emptyFolder();
  await importInto(folder, codexLbFolder());
  const [begun, ...others] = await readEvents(folder);
  expect(begun).toMatchObject({
    type: 'ImportBegun',
    data: { program: 'codex-lb', accounts: 3, apiKeys: 9, allowedIps: 3, requests: 0 },
    metadata: { actor: { kind: 'cli', command: 'import-from codex-lb' } },
  });
  expect(others.length).toBeGreaterThan(15);
  for (const { metadata } of others) expect(metadata.correlationId).toBe(begun?.metadata.correlationId);
});

test('the command reports in lines and JSON, and refuses a data folder in use', SLOW, async () => {
  const [folder, { database, keyFile }] = [emptyFolder(), codexLbFolder(IN_WINDOW)];
  const args = ['import-from', 'codex-lb', '--database', database, '--key', keyFile];
  const json = await svc(folder, ...args, '--dry-run', '--json');
  expect(json.code, json.err).toBe(0);
  expect(JSON.parse(json.out)).toMatchObject({ program: 'codex-lb', dry_run: true, changed: true });
  const lines = await svc(folder, ...args);
  expect(lines.code, lines.err).toBe(0);
  expect(lines.out).toContain('Do not start codex-lb again');
  expect(lines.out).toContain('    svc does not restrict a key to accounts.');
  expect((await svc(folder, ...args)).out).toContain('nothing was changed');
  const gateway = await startGateway({ accounts: 0, folder });
  onTestFinished(() => gateway.stop());
  const refused = await svc(folder, ...args);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('stop it, import, and start it again');
  expect((await svc(folder, 'import-from', 'codex-lb', '--database', database)).code).toBe(2);
  expect((await svc(folder, 'import-from', 'other', '--database', database, '--key', keyFile)).code).toBe(2);
});
