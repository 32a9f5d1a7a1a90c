import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { certificate } from '../../../../test/support/certificate.ts';
import { aStage, type EventStoreStage } from '../../../../test/support/eventstore/stage.ts';

// What an operator reads while svc waits for a server that it cannot use.

const withTls = { tls: certificate } as const;

/** The first line of a start that waits. */
async function firstLine({ open, lines }: EventStoreStage, url: string): Promise<string> {
  const ending = new AbortController();
  const opening = open({ url, signal: ending.signal });
  opening.catch(() => {});
  await vi.waitUntil(() => lines.length > 0, { timeout: 15_000, interval: 5 });
  ending.abort();
  await expect(opening).rejects.toThrow();
  return lines[0] as string;
}

test('says that the server expects TLS when the URL turns it off', async () => {
  const stage = await aStage(withTls);
  const line = await firstLine(stage, `esdb://127.0.0.1:${stage.server.port}?tls=false`);
  expect(line).toMatch(/: the server expects TLS. Remove tls=false from SVC_EVENTSTORE_URL\.$/);
});

test('says that the server does not use TLS when the URL asks for it', async () => {
  const stage = await aStage();
  const line = await firstLine(stage, `esdb://127.0.0.1:${stage.server.port}`);
  expect(line).toMatch(/: the server does not use TLS. Add tls=false to SVC_EVENTSTORE_URL\b/);
});

test('says that no trusted authority signed the certificate of the server', async () => {
  const stage = await aStage(withTls);
  const line = await firstLine(stage, `esdb://localhost:${stage.server.port}`);
  expect(line).toMatch(/certificate .*Name the authority that signed it in tlsCAFile of SVC_EVENTSTORE_URL\.$/);
});

test('says that nothing listens, with no code, class name or internal note', async () => {
  const stage = await aStage();
  await stage.server.kill();
  const line = await firstLine(stage, stage.server.url);
  expect(line).toMatch(/^EventStoreDB at 127\.0\.0\.1:\d+ cannot be used yet \(attempt 1, next in 0\.02 s\): /);
  expect(line).toMatch(/: nothing listens at 127\.0\.0\.1:\d+\. Start the server, or correct SVC_EVENTSTORE_URL\.$/);
  expect(line).not.toMatch(/UNAVAILABLE|Error|Resolution note/);
});

test.each([
  ['tlsCAFile', 'is missing', undefined, 'does not exist'],
  ['tlsCAFile', 'is a folder', 'folder', 'cannot be read'],
  ['tlsCAFile', 'holds no certificate', 'not a certificate', 'contains no certificate in PEM format'],
  ['userKeyFile', 'is missing', undefined, 'does not exist'],
] as const)('refuses to start in one sentence with path and key when %s %s', async (option, _, content, words) => {
  const { server, open } = await aStage(withTls);
  const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [path, certFile] = [content === 'folder' ? folder : join(folder, 'file.pem'), join(folder, 'user.crt')];
  writeFileSync(certFile, certificate.cert);
  if (content !== undefined && content !== 'folder') writeFileSync(path, content);
  const files = { [option]: path, ...(option === 'userKeyFile' && { userCertFile: certFile }) };
  const url = `esdb://127.0.0.1:${server.port}?${new URLSearchParams(files)}`;
  await expect(open({ url })).rejects.toMatchObject({
    code: 'CERTIFICATE_UNUSABLE',
    message: expect.stringMatching(new RegExp(`^${path}, which ${option} in SVC_EVENTSTORE_URL names, ${words}`)),
  });
});

test('connects to an IP address over TLS without a deprecation warning', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, certificate.cert);
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => void warnings.push(message);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const { server, open } = await aStage(withTls);
  await open({ url: `esdb://127.0.0.1:${server.port}?${new URLSearchParams({ tlsCAFile: caFile })}` });
  expect(warnings).toEqual([]);
});
