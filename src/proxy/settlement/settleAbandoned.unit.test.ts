import { expect, test } from 'vitest';
import { NOW, recorded } from '../../../test/support/specification.ts';
import { RequestAdmitted } from '../../domain/request/events.ts';
import type { EventToAppend, RecordedEvent } from '../../eventLog/eventLog.ts';
import type { OpenRequest } from '../../state/fold/requestFolds.ts';
import { settleAbandoned } from './settleAbandoned.ts';

/** @param tier the requested service tier @returns the events that settle a request which a crash left open */
async function settled(tier?: string): Promise<EventToAppend[]> {
  const estimate = { inputTokens: 1_000, outputTokens: 2_048, costMicroDollars: 0 };
  const admission = { decidedAt: 1, asOf: NOW, v: 1, estimate, reserved: [] };
  const open = recorded(
    RequestAdmitted({
      requestId: 'req_1',
      keyId: null,
      route: '/v1/responses',
      model: 'm',
      effort: null,
      requestedAt: NOW,
      admission: admission as never,
      accountId: null,
      ...(tier !== undefined && { serviceTier: tier }),
    }),
  ) as RecordedEvent as OpenRequest;
  const written: EventToAppend[] = [];
  await settleAbandoned({
    open: [open],
    isAbandoned: () => true,
    record: async (event) => written.push(event),
    priceOf: () => ({ model: 'm', input: 2, cachedInput: 1, output: 8, tiers: { priority: 2.5 } }),
    priceVersion: 'v1',
    now: () => NOW,
  });
  return written;
}

test('says how often the request was announced, so that the fold ignores an announcement that comes later', async () => {
  expect(await settled()).toMatchObject([{ data: { announcements: 1 } }]);
});

test('charges the input of an abandoned request at its requested tier', async () => {
  expect(await settled()).toMatchObject([
    { type: 'RequestCompleted', data: { errorCode: 'abandoned', costMicroDollars: 2_000, priceVersion: 'v1' } },
  ]);
  expect(await settled('priority')).toMatchObject([{ data: { costMicroDollars: 5_000, serviceTier: 'priority' } }]);
});
