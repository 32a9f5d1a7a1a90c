import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountId, Position } from '../../../src/domain/core/brands.ts';
import { completed, refused } from '../../support/management.ts';
import { earlier } from '../../support/specification.ts';
import type { ReadModelsFactory, ReadModelsUnderTest } from '../readModels.ts';
import { attemptsOf } from './randomRequests.ts';

const id = (digits: string) => `req_${digits.padEnd(32, '0')}`;

const requests = [
  completed({ requestId: id('0123456789abcdef'), requestedAt: earlier(3) }),
  completed({
    requestId: id('f123'),
    requestedAt: earlier(2),
    status: 'error',
    errorMessage: 'It broke: 100% "so"_far',
  }),
  refused({ requestId: id('ff'), requestedAt: earlier(1), errorMessage: 'The limit of req_0123 is used up' }),
  completed({ requestId: id('fff'), status: 'error', errorMessage: 'it BROKE again' }),
];

export function requestLogSearch(createReadModels: ReadModelsFactory): void {
  describe('search', () => {
    describe('of a text', () => {
      let store: ReadModelsUnderTest;
      let head: Position;
      beforeAll(async () => {
        store = await createReadModels();
        head = await store.append(...requests);
      }, 60_000);
      afterAll(() => store[Symbol.asyncDispose]());

      test.each([
        [id('0123456789abcdef'), '0'],
        ['req_0123', '20'],
        ['REQ_F', '321'],
        ['r', '3210'],
        ['req_', '3210'],
        ['456789AB', '0'],
        ['cdef', '0'],
        ['cde', ''],
        ['broke', '31'],
        ['100%', '1'],
        ['"so"_f', '1'],
        ['so__far', ''],
        ['%', '1'],
        ['\\', ''],
        ['limit', '2'],
        ['nothing has this', ''],
        ["'; DROP TABLE requests; --", ''],
      ])('"%s" finds %s', async (search, expected) => {
        const { rows, total } = await store.requestLog.page({ search }, 10, 0, head);
        const found = rows.map((row) => requests.findIndex(({ data }) => data.requestId === row.requestId)).join('');
        expect([found, total]).toEqual([expected, expected.length]);
      });
    });

    test('search applies the other conditions and pages', async () => {
      await using store = await createReadModels();
      const head = await store.append(...requests);
      const search = async (limit: number, offset: number, filter = {}) => {
        const { rows, total } = await store.requestLog.page({ search: 'broke', ...filter }, limit, offset, head);
        return [rows.map(({ requestId }) => requestId), total];
      };
      expect(await search(1, 0)).toEqual([[id('fff')], 2]);
      expect(await search(1, 1)).toEqual([[id('f123')], 2]);
      expect(await search(5, 0, { until: earlier(1) })).toEqual([[id('f123')], 1]);
      expect(await search(5, 0, { statuses: ['200'] })).toEqual([[], 0]);
    });

    test('search applies the accounts that a request tried, its own and others', async () => {
      await using store = await createReadModels();
      const tried = (requestId: string, ...accountIds: string[]) => {
        const attempts = attemptsOf(accountIds as AccountId[]);
        const failure = { status: '502', errorCode: 'upstream_error', errorMessage: 'It broke' };
        return completed({ requestId, attempts, accountId: accountIds.at(-1) as AccountId, ...failure });
      };
      const head = await store.append(
        tried('req_00ab', 'a', 'b'),
        tried('req_00ac', 'b', 'a', 'c'),
        tried('req_00ad', 'c'),
        tried('req_11', 'a'),
      );
      const found = async (search: string, ...attemptedAccountIds: string[]) => {
        const { rows, total } = await store.requestLog.page({ search, attemptedAccountIds }, 10, 0, head);
        return [rows.map(({ requestId }) => requestId), total];
      };
      expect(await found('req_00', 'a')).toEqual([['req_00ac', 'req_00ab'], 2]);
      expect(await found('00ac', 'a', 'b')).toEqual([['req_00ac'], 1]);
      expect(await found('broke', 'a', 'b')).toEqual([['req_11', 'req_00ac', 'req_00ab'], 3]);
      expect(await found('broke', 'c')).toEqual([['req_00ad', 'req_00ac'], 2]);
      expect(await found('broke', 'd')).toEqual([[], 0]);
    });

    test('finds nothing in an empty log', async () => {
      await using store = await createReadModels();
      expect(await store.requestLog.page({ search: 'req_' }, 10, 0, await store.append())).toEqual({
        rows: [],
        total: 0,
      });
    });
  });
}
