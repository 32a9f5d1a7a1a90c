import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { browser, setUp } from '../../../test/support/browser.ts';
import { completed, refused, type Stage, startManagement } from '../../../test/support/management.ts';
import type { ApiKeyId } from '../../domain/core/brands.ts';
import type { DomainEvent } from '../../domain/core/event.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import { NO_STREAM } from '../../eventLog/eventLog.ts';
import { parseLeafEntry } from '../../integrity/leaf/leafEntry.ts';
import { parseVkey } from '../../integrity/notes/noteKeys.ts';
import { parseProof, verifyProof } from '../../integrity/notes/tlogProof.ts';

const newRequestId = () => `req_${randomBytes(16).toString('hex')}`;

/** Records the end of a request as the proxy does. @returns its position */
async function record(stage: Stage, requestId: string, event: DomainEvent): Promise<number> {
  const outcome = await stage.log.append(`requests-test-${requestId}`, NO_STREAM, [
    {
      ...(event as KnownEvent),
      id: crypto.randomUUID(),
      time: stage.now(),
      actor: { kind: 'anonymous' },
      correlationId: requestId,
    },
  ]);
  if (outcome.kind !== 'committed') throw new Error('not appended');
  await stage.hot.whenFolded(outcome.position);
  return outcome.position;
}

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

/** Two keys, a request of each, and one without a key. */
async function aStage() {
  const stage = await startManagement();
  const keys = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const { body } = await stage.call('POST', '/api/api-keys', { body: { name } });
      return { key: body.key as string, id: body.id as ApiKeyId, requestId: newRequestId() };
    }),
  );
  const [one, two] = keys as [(typeof keys)[number], (typeof keys)[number]];
  const position = await record(stage, one.requestId, completed({ requestId: one.requestId, keyId: one.id }));
  await record(stage, two.requestId, refused({ requestId: two.requestId, keyId: two.id }));
  const keyless = newRequestId();
  await record(stage, keyless, completed({ requestId: keyless }));
  return { ...stage, stage, one, two, position, keyless };
}

test('proves that a request is in the log, by its id or position, to operators', async () => {
  const { call, one, two, position, keyless, checkpoints, reported } = await aStage();
  const byId = await call('GET', `/api/receipts/${one.requestId}`);
  expect(byId.status).toBe(200);
  const { index, hashes, checkpoint, entry, proof } = byId.body;
  expect(index).toBe(position - 1);
  const keys = [parseVkey(checkpoints.vkey)];
  const parsed = { index, hashes: hashes.map((hash: string) => Buffer.from(hash, 'base64')), checkpoint };
  expect(verifyProof(parsed, entry, keys).size).toBeGreaterThanOrEqual(position);
  const text = parseProof(proof);
  expect([text.index, text.checkpoint, text.extra?.toString()]).toEqual([index, checkpoint, entry]);
  expect(() => verifyProof(parsed, entry.replace('"version"', '"versioN"'), keys)).toThrow();
  expect(parseLeafEntry(entry)).toMatchObject({ position, correlationId: one.requestId, type: 'RequestCompleted' });

  expect((await call('GET', `/api/receipts/${position}`)).body).toEqual(byId.body);
  for (const name of [two.requestId, keyless, '1'])
    expect((await call('GET', `/api/receipts/${name}`)).status).toBe(200);
  expect(reported).toEqual([]);
});

test('lets an API key read the receipts of its own requests, and no other', async () => {
  const { stage, call, one, two, position, keyless } = await aStage();
  await setUp(stage);
  const read = async (name: string | number, key: string) => {
    const { status, body } = await browser(stage).call('GET', `/api/receipts/${name}`, bearer(key));
    return [status, body.error?.code ?? body.index];
  };
  expect(await read(one.requestId, one.key)).toEqual([200, position - 1]);
  expect(await read(position, one.key)).toEqual([200, position - 1]);
  expect(await read(two.requestId, two.key)).toEqual([200, position]);
  const none = [404, 'receipt_not_found'];
  for (const name of [one.requestId, position, keyless, 1, position + 2])
    expect(await read(name, two.key)).toEqual(none);
  for (const name of [two.requestId, position + 1, 1]) expect(await read(name, one.key)).toEqual(none);
  expect(await read(one.requestId, 'sk-svc-invented')).toEqual([401, 'invalid_api_key']);
  await call('GET', '/health');
  expect((await browser(stage).call('GET', `/api/receipts/${one.requestId}`)).status).toBe(401);
});

test('refuses a key that was revoked, and addresses that are not on the allowlist', async () => {
  const { stage, call, one } = await aStage();
  const read = () => browser(stage).call('GET', `/api/receipts/${one.requestId}`, bearer(one.key));
  await call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.1' } });
  expect((await read()).body.error).toMatchObject({
    code: 'ip_forbidden',
    message: expect.stringContaining('127.0.0.1'),
  });
  await call('DELETE', '/api/firewall/ips/10.0.0.1');
  expect((await read()).status).toBe(200);
  await call('DELETE', `/api/api-keys/${one.id}`);
  expect((await read()).body.error.code).toBe('invalid_api_key');
});

test.each([
  '0',
  '-1',
  '1.5',
  '999999',
  '99999999999999999999',
  'req_',
  'req_%27',
  '..%2f..%2f1',
  `req_${'f'.repeat(32)}`,
])('has no receipt for %s', async (name) => {
  const { call, reported } = await startManagement();
  const { status, body } = await call('GET', `/api/receipts/${name}`);
  expect([status, body.error.code]).toEqual([404, 'receipt_not_found']);
  expect(reported).toEqual([]);
});

test('finds a request whose event is recorded while the receipt is asked for', async () => {
  const { stage, call } = await aStage();
  const requestId = newRequestId();
  const asked = call('GET', `/api/receipts/${requestId}`);
  await vi.waitFor(() => Promise.resolve());
  const position = await record(stage, requestId, completed({ requestId }));
  expect((await asked).body.index).toBe(position - 1);
});

test('says why there is no proof, and never gives one that does not hold', async () => {
  const { call, position, checkpoints } = await aStage();
  const covering = vi.spyOn(checkpoints, 'covering');
  covering.mockRejectedValueOnce(new Error('another node holds the lease'));
  const none = await call('GET', `/api/receipts/${position}`);
  expect([none.status, none.body.error]).toEqual([
    503,
    { code: 'proof_unavailable', message: 'Another node holds the lease' },
  ]);
  expect(none.headers['retry-after']).toBe('5');
  const real = await checkpoints.covering(position);
  covering.mockResolvedValueOnce({ ...real, root: '0'.repeat(64) });
  expect((await call('GET', `/api/receipts/${position}`)).body.error.message).toContain('does not fit the checkpoint');
  expect((await call('GET', `/api/receipts/${position}`)).status).toBe(200);
});
