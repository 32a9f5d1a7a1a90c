import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { anEvent, aStream } from '../../../../test/contract/events.ts';
import { tempFolder } from '../../../../test/contract/tempFolder.ts';
import { aStage } from '../../../../test/support/eventstore/stage.ts';
import { NO_STREAM } from '../../eventLog.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Creates a key and a self-signed certificate for 127.0.0.1. */
function newCertificate(folder: string, name: 'server' | 'user' | 'stranger') {
  const [keyFile, certFile] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  const subject = ['-subj', '/CN=svc test', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', [...request, '-keyout', keyFile, '-out', certFile, ...subject], { stdio: 'ignore' });
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8'), keyFile, certFile };
}

describe.skipIf(!hasOpenssl)('EventStoreDB over TLS (needs openssl)', () => {
  afterEach(() => vi.restoreAllMocks());

  async function aSecureStage() {
    const folder = await tempFolder();
    const { certFile, key, cert } = newCertificate(folder.path, 'server');
    const stage = await aStage({ tls: { key, cert }, users: { svc: 'p@ss:w/ord' } });
    const printed: unknown[][] = [];
    for (const method of ['log', 'warn', 'error', 'info', 'debug'] as const) {
      vi.spyOn(console, method).mockImplementation((...args) => void printed.push(args));
    }
    const ca = `tlsCAFile=${encodeURIComponent(certFile)}`;
    return { ...stage, at: `127.0.0.1:${stage.server.port}`, ca, printed };
  }

  test('connects with a certificate authority, user and password', async () => {
    const { open, at, ca, server } = await aSecureStage();
    const { log } = await open({ url: `esdb://svc:p%40ss%3Aw%2Ford@${at}?${ca}` });
    expect(await log.append(aStream(), NO_STREAM, [anEvent()])).toMatchObject({ kind: 'committed' });
    expect(server.calls.get('BatchAppend')).toBeUndefined();
  });

  test.each([
    ['a wrong password', ({ at, ca }) => `esdb://svc:hunter2@${at}?${ca}`, 'refuses the user or password'],
    ['no user at all', ({ at, ca }) => `esdb://${at}?${ca}`, 'refuses the user or password'],
    ['an unknown authority', ({ at }) => `esdb://svc:hunter2@${at}`, 'Name the authority that signed it in tlsCAFile'],
    ['no TLS', ({ at }) => `esdb://svc:hunter2@${at}?tls=false`, 'the server expects TLS'],
  ] as readonly [string, (stage: { at: string; ca: string }) => string, string][])(
    'reports why the start waits with %s, and prints nothing of the password',
    async (_, urlOf, why) => {
      const stage = await aSecureStage();
      const ending = new AbortController();
      const opening = stage.open({ url: urlOf(stage), signal: ending.signal });
      opening.catch(() => {});
      await vi.waitUntil(() => stage.lines.length >= 2, { timeout: 15_000, interval: 10 });
      ending.abort();
      await expect(opening).rejects.toThrow();
      expect(stage.lines[0]).toContain(why);
      expect(JSON.stringify([stage.lines, stage.printed])).not.toMatch(/hunter2|p@ss/);
    },
  );

  test('connects with a user certificate, and reports one that the server does not know', async () => {
    await using folder = await tempFolder();
    const { key, cert, certFile: caFile } = newCertificate(folder.path, 'server');
    const [user, stranger] = [newCertificate(folder.path, 'user'), newCertificate(folder.path, 'stranger')];
    const { open, server, lines } = await aStage({ tls: { key, cert, ca: user.cert } });
    const urlWith = ({ certFile, keyFile }: typeof user) =>
      `esdb://127.0.0.1:${server.port}?${new URLSearchParams({ tlsCAFile: caFile, userCertFile: certFile, userKeyFile: keyFile })}`;
    const { log } = await open({ url: urlWith(user) });
    expect(await log.append(aStream(), NO_STREAM, [anEvent()])).toMatchObject({ kind: 'committed' });
    expect(lines).toEqual([]);
    await log.close();

    const ending = new AbortController();
    const opening = open({ url: urlWith(stranger), signal: ending.signal });
    opening.catch(() => {});
    await vi.waitUntil(() => lines.length >= 1, { timeout: 15_000, interval: 10 });
    ending.abort();
    await expect(opening).rejects.toThrow();
    expect(lines[0]).toContain('cannot be used yet (attempt 1');
  });
});
