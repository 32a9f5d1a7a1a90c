import { expect, test } from 'vitest';
import { accountId, NOW } from '../../../test/support/specification.ts';
import { position } from '../../domain/core/brands.ts';
import { HotState } from '../../state/fold/hotState.ts';
import { createReadiness, type ReadinessOptions } from './readiness.ts';

const GIB = 1_073_741_824;

/** A node that is ready, changed as a test asks for. */
function node(
  changes: {
    failing?: boolean;
    outboxFull?: boolean;
    copyWritten?: boolean;
    sinkAway?: boolean;
    found?: boolean;
    short?: boolean;
    idleConnection?: boolean;
    stopping?: boolean;
    free?: number;
    head?: () => Promise<never>;
    statuses?: ('active' | 'paused')[];
  } = {},
) {
  const state = new HotState();
  for (const [index, status] of (changes.statuses ?? ['active']).entries())
    state.accounts.set(accountId(index), { id: accountId(index), status } as never);
  let asked = 0;
  let failing = changes.failing ?? false;
  const options = {
    hot: {
      state,
      whenFolded: async (at: number) => {
        if (at > 5) throw new Error('behind');
      },
    },
    folder: { path: '/' },
    descriptors: { isShort: changes.short ?? false },
    now: () => NOW,
    store: {
      isFailing: () => failing,
      checkIdle: async () => {
        failing ||= changes.found ?? false;
      },
      isCopyWritten: () => changes.copyWritten ?? true,
      outbox: { isFull: changes.outboxFull ?? false },
      log: {
        head:
          changes.head ??
          (async () => {
            asked += 1;
            return position(5);
          }),
      },
    },
    sinks: { isTaking: !changes.sinkAway },
    hasIdleConnection: () => changes.idleConnection ?? false,
    coolDowns: new Map(),
    isShuttingDown: () => changes.stopping ?? false,
    freeBytes: async () => changes.free ?? GIB,
  };
  return { check: createReadiness(options as unknown as ReadinessOptions), asked: () => asked };
}

test.each([
  ['it can serve', {}, []],
  ['it stops, whatever else is wrong', { stopping: true, failing: true }, ['shutting_down']],
  ['its log cannot be written', { failing: true }, ['log_unavailable']],
  ['a check finds that its log cannot be written', { found: true }, ['log_unavailable']],
  ['a fail-closed sink takes no events', { sinkAway: true }, ['sink_unavailable']],
  ['its outbox is full', { outboxFull: true }, ['outbox_full']],
  ['its fold is behind the log', { head: async () => position(6) as never }, ['fold_behind']],
  ['its log cannot be read', { head: () => Promise.reject(new Error('closed')) }, ['fold_behind']],
  ['its copy of the log cannot be written', { copyWritten: false }, ['fold_behind']],
  ['it has no account', { statuses: [] }, ['no_accounts']],
  ['its accounts are paused', { statuses: ['paused' as const] }, ['no_account_available']],
  ['one of its accounts is paused', { statuses: ['paused' as const, 'active' as const] }, []],
  ['its disk is nearly full', { free: 64 * 1_048_576 - 1 }, ['disk_space_low']],
  ['it is short of descriptors', { short: true }, ['out_of_file_descriptors']],
  ['it is short of descriptors, but a connection is idle', { short: true, idleConnection: true }, []],
  ['several things are wrong', { failing: true, short: true }, ['log_unavailable', 'out_of_file_descriptors']],
])('names why a node is not ready when %s', async (_what, changes, codes) =>
  expect(await node(changes).check()).toEqual(codes),
);

test('looks once for many who ask at the same time', async () => {
  const { check, asked } = node();
  await Promise.all(Array.from({ length: 100 }, check));
  expect(asked()).toBe(1);
});
