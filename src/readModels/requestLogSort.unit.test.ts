import { expect, test } from 'vitest';
import { isLatestFirst, MAX_SORTED_BY_VALUE, partToSort } from './requestLogSort.ts';

test('a page of the earliest requests is the end of the list, backwards', () => {
  const earliest = { by: 'requestedAt', isDescending: false } as const;
  expect(partToSort(earliest, 130, { limit: 50, offset: 0 })).toEqual({ limit: 50, offset: 80 });
  expect(partToSort(earliest, 130, { limit: 50, offset: 100 })).toEqual({ limit: 30, offset: 0 });
  expect(partToSort(earliest, 130, { limit: 50, offset: 130 })).toEqual({ limit: 0, offset: 0 });
  expect(partToSort(earliest, 0, { limit: 50, offset: 0 })).toEqual({ limit: 0, offset: 0 });
});

test('sorts by a value up to a number of matches, and by time any number', () => {
  const slowest = { by: 'latencyMs', isDescending: true } as const;
  const page = { limit: 50, offset: 20 };
  expect(partToSort(slowest, MAX_SORTED_BY_VALUE, page)).toEqual({ limit: MAX_SORTED_BY_VALUE, offset: 0 });
  expect(partToSort(slowest, MAX_SORTED_BY_VALUE + 1, page)).toBeUndefined();
  const earliest = { by: 'requestedAt', isDescending: false } as const;
  expect(partToSort(earliest, 5_000_000, page)).toEqual({ limit: 50, offset: 4_999_930 });
  expect([undefined, { ...earliest, isDescending: true }, earliest, slowest].map(isLatestFirst)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
