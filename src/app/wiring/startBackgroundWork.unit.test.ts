import { expect, test } from 'vitest';
import { position } from '../../domain/core/brands.ts';
import { startBackgroundWork } from './startBackgroundWork.ts';

/** Runs background work over read models that answer with these positions, one after the other. @returns the order of steps */
async function stepsWith(answers: readonly (number | Error)[], maxAttempts?: number): Promise<string[]> {
  const steps: string[] = [];
  let next = 0;
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
    snapshots: {
      start: async () => {
        await Promise.resolve();
        steps.push('snapshot');
      },
    },
    verifier: { start: () => steps.push('verifier') },
    ...(maxAttempts !== undefined && { maxAttempts }),
  });
  return steps;
}

test('makes a snapshot once the read models have caught up, and verifies the log after that', async () => {
  expect(await stepsWith([4, 9, 12])).toEqual([
    'read models at 4',
    'read models at 9',
    'read models at 12',
    'snapshot',
    'verifier',
  ]);
});

test('waits no longer for read models that fail, or that take too long', async () => {
  expect(await stepsWith([4, new Error('unreachable')])).toEqual(['read models at 4', 'snapshot', 'verifier']);
  expect(await stepsWith([1, 2, 3], 2)).toEqual(['read models at 1', 'read models at 2', 'snapshot', 'verifier']);
});
