import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { NOW } from '../../../test/support/specification.ts';
import type { ApiKeyId, Sealed } from '../../domain/core/brands.ts';
import type { IpAddress } from '../../domain/firewall/ipAddress.ts';
import type { ClientRequest } from '../../http/client/clientRequest.ts';
import { type Callers, createCallers } from './callers.ts';

const keyId = '11111111-1111-4111-8111-111111111111' as ApiKeyId;

/** A vault whose data keys are named after their subjects, and which counts what it does. */
function testVault(existing: readonly string[] = [], createKey?: (subject: string) => Promise<string>) {
  const keys = new Set(existing);
  const made = { sealed: 0, digests: 0, created: [] as string[] };
  return {
    made,
    hasKey: (key: string) => keys.has(key),
    currentKeyOf: (subject: string) => (keys.has(subject) ? subject : undefined),
    createKey:
      createKey ??
      (async (subject: string) => {
        made.created.push(subject);
        keys.add(subject);
        return subject;
      }),
    seal: (key: string, plain: string) => {
      made.sealed++;
      return `sealed.${key}.${plain}` as Sealed;
    },
    digest: (purpose: string, value: string) => {
      made.digests++;
      return `${purpose}-${value}`;
    },
    digestUnder: (key: string, _purpose: string, value: string) => `${key.slice(-4)} ${value}`,
  };
}

const callersOver = (vault: ReturnType<typeof testVault>): Callers =>
  createCallers({
    vault,
    clientAddress: ({ socket }) => socket.remoteAddress as IpAddress | undefined,
    now: () => NOW,
    report: () => undefined,
  });

const requestFrom = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({ headers, socket: { remoteAddress } as Socket }) as unknown as ClientRequest;

test('seals address and user agent under the key of the API key, once for each client', () => {
  const vault = testVault([`callers-${keyId}`]);
  const callers = callersOver(vault);
  const headers = { 'user-agent': 'codex_exec/0.169.0 (Debian)', originator: 'codex_exec' };
  const { client, ready } = callers.callerOf(requestFrom('10.0.0.7', headers), keyId);
  expect(ready).toBeUndefined();
  expect(client).toEqual({
    sealed: `sealed.callers-${keyId}.10.0.0.7\ncodex_exec/0.169.0 (Debian)`,
    addressDigest: '1111 10.0.0.7',
    originator: 'codex_exec',
    name: 'codex_exec',
    version: '0.169.0',
  });
  for (let round = 0; round < 100; round++) callers.callerOf(requestFrom('10.0.0.7', headers), keyId);
  expect(vault.made.sealed).toBe(1);
  callers.callerOf(requestFrom('10.0.0.8', headers), keyId);
  expect(vault.made.sealed).toBe(2);
});

test('recognises each request of a connection by its own key, address and headers', () => {
  const other = '22222222-2222-4222-8222-222222222222' as ApiKeyId;
  const vault = testVault([`callers-${keyId}`, `callers-${other}`]);
  let address = '10.0.0.7';
  const callers = createCallers({
    vault,
    clientAddress: () => address as IpAddress,
    now: () => NOW,
    report: () => undefined,
  });
  const socket = {} as Socket;
  const sealedOf = (id: ApiKeyId, userAgent?: string, originator?: string) => {
    const headers = { ...(userAgent && { 'user-agent': userAgent }), ...(originator && { originator }) };
    const { client } = callers.callerOf({ headers, socket } as unknown as ClientRequest, id);
    return [client.sealed, client.originator];
  };
  for (let round = 0; round < 2; round++) {
    for (const id of [keyId, other]) {
      for (const from of ['10.0.0.7', '10.0.0.8']) {
        address = from;
        for (const userAgent of ['curl/8.5.0', 'curl/8.5.1', undefined]) {
          for (const originator of ['codex', undefined]) {
            const expected = [`sealed.callers-${id}.${from}\n${userAgent ?? ''}`, originator];
            expect(sealedOf(id, userAgent, originator)).toEqual(expected);
            expect(sealedOf(id, userAgent, originator)).toEqual(expected);
          }
        }
      }
    }
  }
  expect(vault.made.sealed).toBe(2 * 2 * 3 * 2);
});

test('creates the data key with the first request of an API key, and one for the month without a key', async () => {
  const vault = testVault();
  const callers = callersOver(vault);
  const month = new Date(NOW).toISOString().slice(0, 7);
  const [first, other] = [requestFrom('10.0.0.7'), requestFrom('10.0.0.8')].map((each) =>
    callers.callerOf(each, keyId),
  );
  const anonymous = callers.callerOf(requestFrom('10.0.0.7'), null);
  expect(first?.client.sealed).toBeUndefined();
  await Promise.all([first?.ready, other?.ready, anonymous.ready]);
  expect(vault.made.created).toEqual([`callers-${keyId}`, `callers-${month}`]);
  expect([first?.client.sealed, other?.client.sealed, anonymous.client.sealed]).toEqual([
    `sealed.callers-${keyId}.10.0.0.7\n`,
    `sealed.callers-${keyId}.10.0.0.8\n`,
    `sealed.callers-${month}.10.0.0.7\n`,
  ]);
  expect(callers.callerOf(requestFrom('10.0.0.7'), keyId).ready).toBeUndefined();
});

test('records a request without its address when no data key can be created, and tries again with the next', async () => {
  let attempts = 0;
  const vault = testVault([], async () => {
    attempts++;
    throw new Error('the store is away');
  });
  const callers = callersOver(vault);
  const request = requestFrom('10.0.0.7', { 'user-agent': 'curl/8.5.0' });
  for (const expected of [1, 2]) {
    const caller = callers.callerOf(request, keyId);
    await caller.ready;
    expect([caller.client.sealed, caller.client.name, attempts]).toEqual([undefined, 'curl', expected]);
  }
});

test('records a digest of every conversation that a request names, each once', () => {
  const vault = testVault();
  const callers = callersOver(vault);
  const named = (headers: Record<string, string>, ...ids: string[]) =>
    callers.conversationsOf(requestFrom('10.0.0.7', headers), ids);
  expect(named({})).toEqual({});
  expect(named({ 'session-id': 'a', 'thread-id': 'a' }, 'a')).toEqual({ conversation: 'conversation-a' });
  expect(named({ 'session-id': 'b', thread_id: 'c' }, 'a')).toEqual({
    conversation: 'conversation-a',
    otherConversations: ['conversation-b', 'conversation-c'],
  });
  expect(vault.made.digests).toBe(3);
});

test('keeps no more than a bounded number of invented clients and conversations', () => {
  const vault = testVault([`callers-${keyId}`]);
  const callers = callersOver(vault);
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 100_000; index++) {
    const headers = { 'user-agent': `agent-${index}/1`, 'session-id': `session-${index}` };
    callers.callerOf(requestFrom('10.0.0.7', headers), keyId);
    callers.conversationsOf({ headers }, []);
  }
  globalThis.gc?.();
  expect((process.memoryUsage().heapUsed - before) / 1_048_576).toBeLessThan(150);
});
