import { expect, test } from 'vitest';
import { type AppendScript, scriptedLog } from '../../../test/contract/scriptedLog.ts';
import { onKey } from '../../../test/support/levels.ts';
import { limitRule, NOW } from '../../../test/support/specification.ts';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { ApiKeyId } from '../../domain/core/brands.ts';
import type { AppendOutcome } from '../../eventLog/eventLog.ts';
import { createEventSink } from '../../eventLog/eventSink.ts';
import { Ledger } from '../admission/ledger.ts';
import { createSettlement, type RequestToSettle } from './settlement.ts';

const keyId = 'key' as ApiKeyId;
const key = { id: keyId, rules: [limitRule()] } as unknown as ApiKey;
const request: RequestToSettle = {
  requestId: 'req_1',
  key,
  route: '/v1/responses',
  model: 'gpt-5',
  effort: null,
  serviceTier: null,
  requestedAt: NOW,
  admission: undefined,
  pin: undefined,
  caller: { client: {}, ready: undefined },
  conversations: {},
};
const usage = { inputTokens: 400, cachedInputTokens: 0, outputTokens: 600, reasoningTokens: 0, isEstimated: false };
const outcome = { status: '200', code: null, message: null, usage };

/** Settles a request with a reservation of 2,100 tokens over a log that follows a script. The append times out at once. */
function settleWith(append: AppendScript) {
  const { log } = scriptedLog(append);
  let time = 0;
  const sink = createEventSink({ log, node: 'n', boot: 'b', category: 'requests', timeoutMs: 8, now: () => time });
  const ledger = new Ledger();
  ledger.reserve(request.requestId, NOW, onKey(key, [[1, 2_100]]));
  const settle = createSettlement({
    record: sink.record,
    ledger,
    priceOf: () => undefined,
    priceVersion: '1',
    now: () => NOW,
  });
  const settled = settle({ request, outcome, attempts: [], isFallback: false, firstByteAt: undefined });
  time = 8;
  return { sink, settled, reserved: () => ledger.reservedOn(keyId, 1, NOW) };
}

test('keeps the usage reserved while the append is uncertain, and releases it when it failed', async () => {
  const gate = Promise.withResolvers<AppendOutcome>();
  const { sink, settled, reserved } = settleWith(() => gate.promise);
  await expect(settled).rejects.toThrow('the log does not respond');
  expect(reserved()).toBe(1_000);
  gate.resolve({ kind: 'rejected', reason: 'disk is full' });
  await sink.flush();
  expect(reserved()).toBe(0);
});

test('keeps the usage of a late append reserved until it is folded', async () => {
  const gate = Promise.withResolvers<'written'>();
  const { sink, settled, reserved } = settleWith(() => gate.promise);
  await expect(settled).rejects.toThrow('the log does not respond');
  gate.resolve('written');
  await sink.flush();
  expect(reserved()).toBe(1_000);
});
