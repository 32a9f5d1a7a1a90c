import { expect, test } from 'vitest';
import { position } from '../../domain/core/brands.ts';
import { startBackgroundWork } from './startBackgroundWork.ts';

/** Runs background work over read models and a tree that answer with these positions, one after the other. @returns the order of steps */
async function stepsWith(
  answers: readonly (number | Error)[],
  maxAttempts?: number,
  treeAnswers: readonly (number | Error)[] = [],
): Promise<string[]> {
  const steps: string[] = [];
  let next = 0;
  let nextOfTree = 0;
  await startBackgroundWork({
    hot: { state: { position: position(10) } },
    progress: {
      reached: async () => {
        const answer = answers[next++];
        if (answer instanceof Error || answer === undefined) throw answer;
        steps.push(`read models at ${answer}`);
        return position(answer);
      },
    },
    tree: {
      start: () => steps.push('tree'),
      reached: async () => {
        const answer = treeAnswers[nextOfTree++] ?? 10;
        if (answer instanceof Error) throw answer;
        steps.push(`tree at ${answer}`);
        return answer;
      },
    },
    checkpoints: { start: () => steps.push('checkpoints') },
    snapshots: {
      start: async () => {
        await Promise.resolve();
        steps.push('snapshot');
      },
    },
    verifier: { start: () => steps.push('verifier') },
    treeComparer: { start: () => steps.push('tree comparer') },
    ...(maxAttempts !== undefined && { maxAttempts }),
  });
  return steps;
}

test('makes a snapshot once read models and tree have caught up, and verifies the log after that', async () => {
  expect(await stepsWith([4, 9, 12], undefined, [3, 10])).toEqual([
    'read models at 4',
    'read models at 9',
    'read models at 12',
    'tree',
    'tree at 3',
    'tree at 10',
    'checkpoints',
    'snapshot',
    'verifier',
    'tree comparer',
  ]);
});

test('waits no longer for read models that fail, or that take too long', async () => {
  const rest = ['tree', 'tree at 10', 'checkpoints', 'snapshot', 'verifier', 'tree comparer'];
  expect(await stepsWith([4, new Error('unreachable')])).toEqual(['read models at 4', ...rest]);
  expect(await stepsWith([1, 2, 3], 2)).toEqual(['read models at 1', 'read models at 2', ...rest]);
});

test('waits no longer for a tree that fails, or that takes too long', async () => {
  const rest = ['checkpoints', 'snapshot', 'verifier', 'tree comparer'];
  expect(await stepsWith([10], 2, [1, 2, 3])).toEqual(['read models at 10', 'tree', 'tree at 1', 'tree at 2', ...rest]);
  expect(await stepsWith([10], 2, [new Error('closed')])).toEqual(['read models at 10', 'tree', ...rest]);
});
