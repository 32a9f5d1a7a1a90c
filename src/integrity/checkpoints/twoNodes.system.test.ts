import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { aStage, type EventStoreStage } from '../../../test/support/eventstore/stage.ts';
import { statuses } from '../../../test/support/eventstore/statuses.ts';
import {
  type CheckpointsSetup,
  keyOf,
  startCheckpoints,
} from '../../../test/support/integrity/checkpointsUnderTest.ts';
import { openMemoryTree } from '../../../test/support/integrity/memoryTree.ts';
import { temporaryFolder } from '../../../test/support/management.ts';
import { parseVkey } from '../notes/noteKeys.ts';
import { checkPublished } from '../published/checkPublished.ts';
import { collectNotes, readPublished } from '../published/readPublished.ts';
import { sharedNotes } from './sharedNotes.ts';

// Nodes that share one EventStoreDB: whatever happens, the log has one checkpoint for a size.

const soon = { timeout: 10_000, interval: 5 };

/** Does not lead before it is told to. */
function candidate() {
  const waiting = Promise.withResolvers<void>();
  let isHere = false;
  const lead: NonNullable<CheckpointsSetup['lead']> = (work) => {
    const ending = new AbortController();
    const working = waiting.promise.then(() => work({ signal: ending.signal }));
    return {
      get isHere() {
        return isHere;
      },
      async stop() {
        waiting.resolve();
        ending.abort();
        await working;
      },
    };
  };
  return {
    lead,
    elect() {
      isHere = true;
      waiting.resolve();
    },
  };
}

async function aNode(stage: EventStoreStage, name: string, setup: CheckpointsSetup = {}) {
  const folder = temporaryFolder();
  const store = await stage.open({ path: join(folder, 'mirror.sqlite'), node: name });
  const { lead, elect } = candidate();
  const node = startCheckpoints({
    folder,
    shared: sharedNotes(store.checkpoints),
    lead,
    followIntervalMs: 20,
    ...setup,
  });
  return { ...node, elect };
}

const sizesOf = ({ checkpoints }: Awaited<ReturnType<typeof aNode>>) =>
  checkpoints.between(0, 1_000_000).map(({ size }) => size);

test('each node knows what the other has signed, and both may sign on demand', async () => {
  const stage = await aStage();
  const [a, b] = [await aNode(stage, 'n1'), await aNode(stage, 'n2')];
  a.elect();
  for (const { tree } of [a, b]) tree.grow(5);
  await vi.waitFor(() => expect(b.checkpoints.latest()?.size).toBe(5), soon);
  for (const { tree } of [a, b]) tree.grow(5);
  const covering = await Promise.all([a, b].map(({ checkpoints }) => checkpoints.covering(10)));
  expect(new Set(covering.map(({ note }) => note)).size).toBe(1);
  expect(sizesOf(a)).toEqual([5, 10]);
  await vi.waitFor(() => expect(sizesOf(b)).toEqual([5, 10]), soon);
});

test.each([
  ['was written although it timed out', { isWritten: true, end: statuses.timeout }],
  ['was cut off before it was written', { isWritten: false, end: statuses.unavailable }],
])(
  'an append that %s makes no second checkpoint',
  async (_what, fault) => {
    const stage = await aStage();
    const [a, b] = [await aNode(stage, 'n1'), await aNode(stage, 'n2')];
    for (let round = 1; round <= 5; round += 1) {
      stage.server.nextAppends(fault);
      a.tree.grow(3);
      b.tree.grow(3);
      // Both at once.
      await Promise.allSettled([a, b].map(({ checkpoints, tree }) => checkpoints.covering(tree.size)));
    }
    stage.server.allAppends();
    await vi.waitFor(() => expect(sizesOf(a)).toEqual(sizesOf(b)), soon);
    const notes = [a, b].flatMap(({ checkpoints }) =>
      checkpoints.between(0, 15).map(({ note }) => ({ source: note, text: note })),
    );
    expect(checkPublished(collectNotes(notes), [parseVkey(a.checkpoints.vkey ?? '')]).problems).toEqual([]);
    expect((await b.checkpoints.covering(15)).size).toBe(15);
  },
  30_000,
);

test('the next leader publishes what the one before did not', async () => {
  const stage = await aStage();
  const published = temporaryFolder();
  const places = { folder: published };
  // Its folder does not exist.
  const a = await aNode(stage, 'n1', { places: { folder: join(published, 'missing') } });
  const b = await aNode(stage, 'n2', { places });
  a.elect();
  for (let round = 0; round < 3; round += 1) {
    for (const { tree } of [a, b]) tree.grow(2);
    await vi.waitFor(() => expect(b.checkpoints.latest()?.size).toBe(b.tree.size), soon);
  }
  expect(readPublished(published).checkpoints).toEqual([]);
  await a.stop();
  b.elect();
  await vi.waitFor(() => expect(readPublished(published).checkpoints.map(({ size }) => size)).toEqual([2, 4, 6]), soon);
});

test('a leader whose tree is behind signs nothing older than the others, and catches up', async () => {
  const stage = await aStage();
  const [a, b] = [await aNode(stage, 'n1'), await aNode(stage, 'n2')];
  a.tree.grow(10);
  await a.checkpoints.covering(10);
  b.tree.grow(4);
  b.elect();
  await vi.waitFor(() => expect(b.checkpoints.latest()?.size).toBe(10), soon);
  expect(b.codes()).toEqual([]);
  b.tree.grow(8);
  expect((await b.checkpoints.covering(12)).size).toBe(12);
});

test('a node whose log differs, or that has another key, signs nothing and says so; the other signs', async () => {
  const stage = await aStage();
  const a = await aNode(stage, 'n1');
  a.tree.grow(5);
  await a.checkpoints.covering(5);
  const other = openMemoryTree(temporaryFolder());
  other.grow(1);
  other.grow(7, 'other ');
  const differs = await aNode(stage, 'n2', { tree: other });
  const stranger = await aNode(stage, 'n3', { key: keyOf(2) });
  stranger.tree.grow(8);
  await vi.waitFor(() => expect(differs.codes()).toEqual(['checkpoint_log_changed']), soon);
  await vi.waitFor(() => expect(stranger.codes()).toEqual(['checkpoint_key_changed']), soon);
  stranger.elect();
  a.tree.grow(3);
  // The leader cannot sign, so another node does.
  await vi.waitFor(() => expect(stranger.checkpoints.latest()?.size).toBe(8), soon);
  expect(sizesOf(a)).toEqual([5, 8]);
});

test('a store that was restored from an older copy is said, and nothing is signed', async () => {
  const stage = await aStage();
  const a = await aNode(stage, 'n1');
  a.tree.grow(5);
  await a.checkpoints.covering(5);
  await a.stop();
  const older = await aStage();
  const restored = await aNode(older, 'n1', { folder: a.folder, tree: a.tree });
  await vi.waitFor(() => expect(restored.codes()).toEqual(['checkpoint_log_changed']), soon);
  expect(restored.lines[0]).toContain('EventStoreDB lacks checkpoints');
});
