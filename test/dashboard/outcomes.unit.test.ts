import { expect, test } from 'vitest';
import { OUTCOME_LABELS } from '../../dashboard/src/lib/format/outcomes.ts';
import { attemptOutcomes } from '../../src/domain/request/attemptOutcomes.ts';

test('the dashboard has a label for every outcome of an attempt', () => {
  expect(Object.keys(OUTCOME_LABELS).toSorted()).toEqual(Object.keys(attemptOutcomes).toSorted());
});
