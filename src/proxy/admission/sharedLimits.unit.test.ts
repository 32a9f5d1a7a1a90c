import { expect, test } from 'vitest';
import { limitedLevel } from '../../../test/support/levels.ts';
import { createRandom } from '../../../test/support/random.ts';
import { keyId, limitRule, NOW } from '../../../test/support/specification.ts';
import { admit } from '../../domain/limits/admit.ts';
import { HotState } from '../../state/fold/hotState.ts';
import { SharedLimits } from './sharedLimits.ts';

const CEILING = 10_000;
const ESTIMATE = 100;
const id = keyId(1);
const rule = limitRule({ id: 1, limitType: 'output_tokens', maxValue: CEILING });
const key = limitedLevel('key', id, [rule]);
const consumption = (outputTokens: number) => ({ inputTokens: 0, outputTokens, costMicroDollars: 0 });

/** Nodes with requests that stay open. They see what the others have announced when a test lets the log deliver it. */
function createNodes(number: number) {
  /** The nodes that announced a request each, in the order of the log. */
  const log: number[] = [];
  const nodes = Array.from({ length: number }, (_, index) => {
    const state = { seen: 0, own: 0, unannounced: 0, announced: 0, foreign: 0 };
    const shared = new SharedLimits({
      hot: new HotState(),
      nodes: () => number,
      isCutOff: () => false,
      ownOn: () => state.own,
      announcedOn: () => state.announced,
      recentOn: () => 0,
      foreignOn: () => state.foreign,
    });
    return {
      state,
      /** Asks for a request. @returns whether it was admitted */
      ask(): boolean {
        const reservedOn = () => shared.assumedOn(id, rule.id, NOW);
        const input = { rules: [rule], model: 'm', counters: undefined, reservedOn, now: NOW };
        if (admit({ ...input, estimate: consumption(ESTIMATE) }).kind === 'refused') return false;
        state.own += ESTIMATE;
        state.unannounced += 1;
        if (!shared.isNearShare(key, 'm', NOW)) return true;
        for (; state.unannounced > 0; state.unannounced -= 1) log.push(index);
        return true;
      },
      /** Folds what the log has. */
      fold(): void {
        for (; state.seen < log.length; state.seen += 1)
          state[log[state.seen] === index ? 'announced' : 'foreign'] += ESTIMATE;
      },
    };
  });
  const used = () => nodes.reduce((sum, { state }) => sum + state.own, 0);
  return { nodes, used };
}

test.each([1, 2, 3, 5])('%i nodes that do not see each other stay within the limit and a request each', (number) => {
  const { nodes, used } = createNodes(number);
  for (const { ask } of nodes) while (ask());
  expect(used()).toBeGreaterThanOrEqual(CEILING);
  expect(used()).toBeLessThanOrEqual(CEILING + number * ESTIMATE);
});

test('one of three nodes can use up the whole limit, as fast as the log announces its requests', () => {
  const { nodes, used } = createNodes(3);
  const [busy] = nodes as [(typeof nodes)[number]];
  const shares: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    const before = used();
    while (busy.ask());
    shares.push(used() - before);
    for (const { fold } of nodes) fold();
  }
  // A third of the rest, again and again.
  expect(shares.slice(0, 3)).toEqual([3_400, 2_200, 1_500]);
  expect(used()).toBeGreaterThanOrEqual(CEILING);
  expect(used()).toBeLessThanOrEqual(CEILING + ESTIMATE);
});

test.each([1, 2, 3, 4])('three busy nodes use a limit up and little more, in any order of events (seed %i)', (seed) => {
  const random = createRandom(seed);
  const { nodes, used } = createNodes(3);
  for (let step = 0; step < 2_000; step += 1) {
    const node = nodes[random.between(0, 2)] as (typeof nodes)[number];
    if (random.chance(0.7)) node.ask();
    else for (const { fold } of nodes) fold();
  }
  expect(used()).toBeGreaterThanOrEqual(CEILING);
  expect(used()).toBeLessThanOrEqual(CEILING + 3 * ESTIMATE);
});

test('takes what the log has just brought for unknown to others, also when nothing else is open', () => {
  const state = { own: 300, announced: 300, recent: 0 };
  const shared = new SharedLimits({
    hot: new HotState(),
    nodes: () => 3,
    isCutOff: () => true,
    ownOn: () => state.own,
    announcedOn: () => state.announced,
    recentOn: () => state.recent,
    foreignOn: () => 50,
  });
  expect(shared.assumedOn(id, 1, NOW)).toBe(350);
  state.recent = 1_000;
  expect(shared.assumedOn(id, 1, NOW)).toBe(350 + 2 * 1_000);
  state.own = 310;
  expect(shared.assumedOn(id, 1, NOW)).toBe(360 + 2 * 1_010);
  expect(shared.knownOn(id, 1, NOW)).toBe(360);
  // Without the log, shares do not move.
  expect(shared.nextShareMs).toBe(60_000);
});

test('a single node assumes nothing and announces nothing at once', () => {
  const shared = new SharedLimits({
    hot: new HotState(),
    nodes: () => 1,
    isCutOff: () => false,
    ownOn: () => 900,
    announcedOn: () => 0,
    recentOn: () => 0,
    foreignOn: () => 0,
  });
  expect(shared.assumedOn(id, 1, NOW)).toBe(900);
  expect(shared.isNearShare(key, 'm', NOW)).toBe(false);
});
