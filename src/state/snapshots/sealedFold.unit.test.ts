import { expect, test } from 'vitest';
import { missingUpcasters } from './sealedFold.ts';

test('reads the sealed states of every version of the fold that a release had', () => {
  expect(
    missingUpcasters(),
    'a state that these versions of the fold have sealed cannot be made again: add a step to UPCASTERS in sealedFold.ts',
  ).toEqual([]);
});
