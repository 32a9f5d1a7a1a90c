import { hash } from 'node:crypto';
import { ApiKeyCreated } from '../../src/domain/apiKey/events.ts';
import {
  type AccountId,
  type ApiKeyId,
  type Instant,
  instant,
  microDollars,
  position,
} from '../../src/domain/core/brands.ts';
import type { CompletedRequest } from '../../src/domain/request/events.ts';
import { newEventId } from '../../src/eventLog/eventId.ts';
import type { EventToAppend } from '../../src/eventLog/eventLog.ts';

const ACCOUNTS = 50;
const KEYS = 20;
const SESSIONS = 2_000;
const START = Date.UTC(2026, 0, 1);

/** Creates the keys of the requests, each with three limits, so that a fold has counters to update. */
export const keyEvents = (): EventToAppend[] =>
  keys.map((keyId, index) => {
    const common = {
      limitWindow: 'daily',
      maxValue: 1_000_000_000_000,
      modelFilter: null,
      createdAt: instant(START),
      onExceeded: 'finish',
    } as const;
    const limitTypes = ['total_tokens', 'output_tokens', 'cost_usd'] as const;
    return {
      ...ApiKeyCreated({
        keyId,
        name: `key ${index}`,
        hash: digest(`key ${index}`),
        prefix: `sk-svc-${index}`,
        allowedModels: null,
        expiresAt: null,
        rules: limitTypes.map((limitType, rule) => ({ id: rule + 1, limitType, ...common })),
      }),
      id: newEventId(),
      time: instant(START),
      actor: { kind: 'system', reason: 'bench' },
      correlationId: 'bench',
    };
  });

const digest = (text: string): string => hash('sha256', text, 'hex');
const uuid = (text: string): string => digest(text).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-8$4-$5');

/** The requests of a gateway with 50 accounts and 20 keys, the same at every run, about 700 bytes of data each. */
export function completedRequest(index: number): EventToAppend {
  const requestId = uuid(`request ${index}`);
  return {
    id: newEventId(),
    type: 'RequestCompleted',
    data: data(index, requestId),
    time: timeOf(index),
    actor: { kind: 'apiKey', keyId: keyOf(index) },
    correlationId: requestId,
  };
}

/** Ten requests a second: a million of them are about 28 hours. */
const timeOf = (index: number): Instant => instant(START + index * 100);
const keys = Array.from({ length: KEYS }, (_, key) => uuid(`key ${key}`) as ApiKeyId);
const keyOf = (index: number): ApiKeyId => keys[index % KEYS] as ApiKeyId;
const accounts = Array.from({ length: ACCOUNTS }, (_, account) => `acc_${digest(`account ${account}`).slice(0, 16)}`);
const accountOf = (index: number): AccountId => accounts[index % ACCOUNTS] as AccountId;
const pins = Array.from({ length: SESSIONS }, (_, session) => digest(`session ${session}`).slice(0, 32));

function data(index: number, requestId: string): CompletedRequest {
  const time = timeOf(index);
  const latencyMs = 800 + (index % 9_000);
  const requestedAt = instant(time - latencyMs);
  const inputTokens = 2_000 + ((index * 37) % 60_000);
  const outputTokens = 50 + ((index * 13) % 2_000);
  const failed = index % 97 === 0;
  return {
    requestId,
    keyId: keyOf(index),
    route: '/v1/responses',
    model: index % 3 === 0 ? 'gpt-5.1-codex-mini' : 'gpt-5.1-codex',
    effort: index % 2 === 0 ? 'medium' : 'high',
    requestedAt,
    admission: {
      decidedAt: position(index),
      asOf: requestedAt,
      v: 1,
      estimate: { inputTokens, outputTokens: 2_048, costMicroDollars: inputTokens * 2 },
      reserved: [
        ['key', null, 1, 4_096],
        ['key', null, 2, 120_000],
      ],
    },
    status: failed ? 'error' : '200',
    errorCode: failed ? 'stream_interrupted' : null,
    errorMessage: failed ? 'The provider closed the connection before the answer was complete.' : null,
    accountId: accountOf(index),
    latencyMs,
    firstByteMs: 300 + (index % 900),
    usage: {
      inputTokens,
      cachedInputTokens: Math.trunc(inputTokens * 0.8),
      outputTokens,
      reasoningTokens: Math.trunc(outputTokens * 0.3),
      isEstimated: failed,
    },
    costMicroDollars: microDollars(inputTokens + outputTokens * 10),
    priceVersion: '2026-01',
    pin: { digest: pins[index % SESSIONS] as string, isFallback: false },
    attempts: [
      {
        decidedAt: position(index),
        asOf: requestedAt,
        v: 1,
        accountId: accountOf(index),
        startedAt: requestedAt,
        endedAt: time,
        outcome: failed ? 'broken' : 'ok',
      },
    ],
  };
}
