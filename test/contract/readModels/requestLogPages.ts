import { describe, expect, test } from 'vitest';
import { type AccountId, type Position, position, type Sealed } from '../../../src/domain/core/brands.ts';
import type { RequestLogFilter, RequestLogRow } from '../../../src/readModels/requestLogQueries.ts';
import type { SortedValue } from '../../../src/readModels/requestLogSort.ts';
import { completed, refused } from '../../support/management.ts';
import { seededRandom } from '../../support/random.ts';
import { earlier, HOUR, later } from '../../support/specification.ts';
import type { ReadModelsFactory, Scaled } from '../readModels.ts';
import {
  accountOf,
  accounts,
  apiKeyIds,
  attemptsOf,
  clients,
  conversations,
  efforts,
  models,
  newestFirst,
  type RequestEvent,
  randomMoment,
  randomRequests,
  statuses,
  triedBy,
} from './randomRequests.ts';

const SORTED: readonly SortedValue[] = ['requestedAt', 'latencyMs', 'firstByteMs', 'costMicroDollars', 'tokens'];

export function requestLogPages(createReadModels: ReadModelsFactory, scaled: Scaled): void {
  describe('request log', () => {
    test('returns requests by descending time of arrival, then by descending position', async () => {
      await using store = await createReadModels();
      const head = await store.append(
        completed({ requestId: 'first' }),
        completed({ requestId: 'early', requestedAt: earlier(1) }),
        completed({ requestId: 'late', requestedAt: later(1) }),
        completed({ requestId: 'second' }),
      );
      const { rows, total } = await store.requestLog.page({}, 10, 0, head);
      expect([rows.map(({ requestId }) => requestId), total]).toEqual([['late', 'second', 'first', 'early'], 4]);
    });

    test('returns the rows at positions, latest first, without those of other events', async () => {
      await using store = await createReadModels();
      const head = await store.append(
        completed({ requestId: 'first' }),
        completed({ requestId: 'early', requestedAt: earlier(1) }),
        refused({ requestId: 'refused', requestedAt: later(1) }),
      );
      const { rows } = await store.requestLog.page({}, 10, 0, head);
      const [refusedRow, first, early] = rows as [RequestLogRow, RequestLogRow, RequestLogRow];
      expect(await store.requestLog.rows([early.position, refusedRow.position], head)).toEqual([refusedRow, early]);
      expect(await store.requestLog.rows([position(head + 1), first.position], head)).toEqual([first]);
      expect(await store.requestLog.rows([], head)).toEqual([]);
    });

    test('returns the rows after the offset and counts all matches', async () => {
      await using store = await createReadModels();
      const events = randomRequests(400, seededRandom(1));
      const head = await store.append(...events);
      const expected = newestFirst(events).map(({ data }) => data.requestId);
      for (const [limit, offset] of [
        [50, 0],
        [50, 50],
        [7, 211],
        [1_000, 0],
        [10, 395],
        [10, 400],
        [10, 1e9],
      ] as const) {
        const { rows, total } = await store.requestLog.page({}, limit, offset, head);
        expect([rows.map(({ requestId }) => requestId), total]).toEqual([expected.slice(offset, offset + limit), 400]);
      }
    });

    test('any combination of filters finds the matching rows', async () => {
      await using store = await createReadModels();
      const random = seededRandom(2);
      const events = randomRequests(scaled(600), random);
      const head = await store.append(...events);
      const sorted = newestFirst(events);
      for (let round = 0; round < scaled(60); round++) {
        const filter = randomFilter(random);
        const [limit, offset] = [1 + Math.floor(random() * 40), Math.floor(random() * random() * 100)];
        const expected = sorted.filter((event) => matches(event, filter)).map(({ data }) => data.requestId);
        const { rows, total } = await store.requestLog.page(filter, limit, offset, head);
        const found = { ids: rows.map(({ requestId }) => requestId), total };
        expect(found, JSON.stringify(filter)).toEqual({
          ids: expected.slice(offset, offset + limit),
          total: expected.length,
        });
      }
    });

    test('returns what is new since a position, for any filter and as of any later one', async () => {
      await using store = await createReadModels();
      const random = seededRandom(7);
      const events = randomRequests(scaled(300), random);
      const head = await store.append(...events);
      const positions = new Map(events.map((event, index) => [event, head - events.length + index + 1]));
      const positionOf = (event: RequestEvent) => positions.get(event) as number;
      const anyPosition = () => position(head - Math.floor(random() * events.length));
      for (let round = 0; round < scaled(40); round++) {
        const { search: _, ...conditions } = randomFilter(random);
        const [after, last] = [anyPosition(), round % 2 === 0 ? head : anyPosition()];
        const isNew = (event: RequestEvent) => positionOf(event) > after && positionOf(event) <= last;
        const expected = newestFirst(events).filter((event) => isNew(event) && matches(event, conditions));
        const upTo = last === head ? head : { exactly: last };
        const { rows, total } = await store.requestLog.page({ ...conditions, after }, 20, 2, upTo);
        expect([rows.map(({ requestId }) => requestId), total], JSON.stringify({ ...conditions, after })).toEqual([
          expected.slice(2, 22).map(({ data }) => data.requestId),
          expected.length,
        ]);
      }
    });

    test('sorts any filter by time, latency, first byte, cost and tokens in either direction', async () => {
      await using store = await createReadModels();
      const random = seededRandom(8);
      const events = randomRequests(scaled(300), random);
      const head = await store.append(...events);
      const { rows: latestFirst } = await store.requestLog.page({}, events.length, 0, head);
      const tokensOf = ({ inputTokens, outputTokens }: RequestLogRow) =>
        inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens;
      const valueIn = (row: RequestLogRow, by: SortedValue) => (by === 'tokens' ? tokensOf(row) : row[by]);
      for (let round = 0; round < scaled(60); round++) {
        const by = SORTED[round % SORTED.length] as SortedValue;
        const isDescending = random() < 0.5;
        const filter = round % 3 === 0 ? {} : randomFilter(random);
        const [limit, offset] = [1 + Math.floor(random() * 40), Math.floor(random() * random() * 100)];
        const matching = new Set(
          (await store.requestLog.page(filter, events.length, 0, head)).rows.map(({ requestId }) => requestId),
        );
        const rows = latestFirst.filter(({ requestId }) => matching.has(requestId));
        const [known, unknown] = [
          rows.filter((row) => valueIn(row, by) !== null),
          rows.filter((row) => valueIn(row, by) === null),
        ];
        const sign = isDescending ? -1 : 1;
        // Backwards by time are also the positions.
        const base = by === 'requestedAt' && !isDescending ? known.toReversed() : known;
        const expected = [
          ...base.toSorted((a, b) => sign * ((valueIn(a, by) as number) - (valueIn(b, by) as number))),
          ...unknown,
        ];
        const page = await store.requestLog.page({ ...filter, sort: { by, isDescending } }, limit, offset, head);
        expect(
          [page.rows.map(({ requestId }) => requestId), page.total],
          JSON.stringify({ by, isDescending, filter, limit, offset }),
        ).toEqual([expected.slice(offset, offset + limit).map(({ requestId }) => requestId), rows.length]);
      }
    });

    test('options list the values of rows that match all other conditions, with their counts', async () => {
      await using store = await createReadModels();
      const random = seededRandom(3);
      const events = randomRequests(scaled(300), random);
      const head = await store.append(...events);
      const counted = (values: readonly (string | null)[]) => {
        const counts: Record<string, number> = {};
        for (const value of values) if (value !== null) counts[value] = (counts[value] ?? 0) + 1;
        return counts;
      };
      for (let round = 0; round < scaled(40); round++) {
        const filter = randomFilter(random);
        const without = (...names: (keyof RequestLogFilter)[]) => {
          const rest = Object.fromEntries(Object.entries(filter).filter(([name]) => !names.includes(name as never)));
          return events.filter((event) => matches(event, rest));
        };
        const options = await store.requestLog.options(filter, head);
        const { accountIds, attemptedAccountIds, statuses, modelOptions } = options;
        const found = {
          accountIds: Object.fromEntries(accountIds.map(({ accountId, count }) => [accountId, count])),
          attempted: Object.fromEntries(attemptedAccountIds.map(({ accountId, count }) => [accountId, count])),
          statuses: Object.fromEntries(statuses.map(({ status, count }) => [status, count])),
          modelOptions: Object.fromEntries(
            modelOptions.map(({ model, effort, count }) => [`${model} ${effort}`, count]),
          ),
        };
        expect(found, JSON.stringify(filter)).toEqual({
          accountIds: counted(without('accountIds').map(accountOf)),
          attempted: counted(without('attemptedAccountIds').flatMap(triedBy)),
          statuses: counted(without('statuses').map(({ data }) => data.status)),
          modelOptions: counted(
            without('models', 'efforts', 'modelOptions').map(({ data }) => `${data.model} ${data.effort}`),
          ),
        });
        expect(accountIds.map(({ accountId }) => accountId)).toEqual(Object.keys(found.accountIds).sort());
        const { since, until, apiKeyIds, errorCodes, owners, teams, transports } = filter;
        const ofSource = { since, until, apiKeyIds, errorCodes, owners, teams, transports };
        const values = (list: 'apiKeyIds' | 'errorCodes' | 'owners' | 'teams') =>
          Object.fromEntries(options[list].map(({ value, count }) => [value, count]));
        const among = (list: keyof RequestLogFilter, shown: (event: RequestEvent) => string | null) => {
          const { [list]: _, ...others } = ofSource as RequestLogFilter;
          return counted(events.filter((event) => matches(event, others)).map(shown));
        };
        expect([values('apiKeyIds'), values('errorCodes'), values('owners'), values('teams')]).toEqual([
          among('apiKeyIds', ({ data }) => data.keyId),
          among('errorCodes', ({ data }) => data.errorCode),
          among('owners', ({ data }) => data.owner ?? null),
          among('teams', ({ data }) => data.team ?? null),
        ]);
      }
    });

    test('a row contains all fields of its event', async () => {
      await using store = await createReadModels();
      const attempts = attemptsOf(['b', 'a', 'b', 'c', 'account-1'] as AccountId[]);
      const failure = { status: 'error', errorCode: 'c', errorMessage: 'm' };
      const source = { owner: 'Ada', team: 't1', transport: 'websocket' };
      const client = { sealed: 'sealed.a' as Sealed, addressDigest: 'd' };
      const named = { originator: 'o', name: 'codex', version: '1' };
      const conversation = { conversation: 'c1', otherConversations: ['c2', 'c3'] };
      const event = completed({
        requestId: 'x',
        ...source,
        ...conversation,
        client: { ...client, ...named },
        ...failure,
        effort: 'low',
        attempts,
      });
      const head = await store.append(refused(), event);
      const { rows } = await store.requestLog.page({ statuses: ['error'] }, 1, 0, head);
      const {
        usage,
        keyId,
        attempts: __,
        priceVersion: _,
        conversation: ____,
        otherConversations: _____,
        ...same
      } = event.data;
      const { isEstimated: ___, ...tokens } = usage as NonNullable<typeof usage>;
      const tried = { attempts: 5, otherAccountIds: ['b', 'a', 'c'] };
      expect(rows).toEqual([
        {
          ...same,
          ...tokens,
          ...tried,
          apiKeyId: keyId,
          position: head,
          sealedOrigin: 'sealed.a',
          addressDigest: 'd',
          originator: 'o',
          client: 'codex',
          clientVersion: '1',
          conversations: ['c1', 'c2', 'c3'],
        },
      ]);
    });

    test('finds requests by any account that they tried, each once, latest first', async () => {
      await using store = await createReadModels();
      const tried = (requestId: string, ...accountIds: string[]) => {
        const attempts = attemptsOf(accountIds as AccountId[]);
        return completed({ requestId, attempts, accountId: (attempts.at(-1)?.accountId ?? null) as AccountId });
      };
      const head = await store.append(
        tried('abc', 'a', 'b', 'c'),
        tried('b', 'b'),
        tried('aa', 'a', 'a'),
        tried('bac', 'b', 'a', 'c'),
        tried('cb', 'c', 'b'),
        completed({ requestId: 'abandoned', accountId: 'a' as AccountId }),
        refused({ requestId: 'refused' }),
      );
      const found = async (filter: RequestLogFilter, limit = 10, offset = 0) => {
        const { rows, total } = await store.requestLog.page(filter, limit, offset, head);
        return [rows.map(({ requestId }) => requestId), total];
      };
      expect(await found({ attemptedAccountIds: ['a'] })).toEqual([['abandoned', 'bac', 'aa', 'abc'], 4]);
      expect(await found({ attemptedAccountIds: ['a', 'b'] })).toEqual([
        ['abandoned', 'cb', 'bac', 'aa', 'b', 'abc'],
        6,
      ]);
      expect(await found({ attemptedAccountIds: ['a', 'b'] }, 2, 3)).toEqual([['aa', 'b'], 6]);
      expect(await found({ attemptedAccountIds: ['a'], accountIds: ['c'] })).toEqual([['bac', 'abc'], 2]);
      expect(await found({ attemptedAccountIds: ['b'], search: 'c' })).toEqual([['cb'], 1]);
      expect(await found({ attemptedAccountIds: ['nothing'] })).toEqual([[], 0]);
      expect(await found({ attemptedAccountIds: [] })).toEqual([[], 0]);
      const { accountIds, attemptedAccountIds } = await store.requestLog.options(
        { attemptedAccountIds: ['a', 'b'] },
        head,
      );
      expect(accountIds.map(({ accountId, count }) => [accountId, count])).toEqual([
        ['a', 2],
        ['b', 2],
        ['c', 2],
      ]);
      expect(attemptedAccountIds.map(({ accountId, count }) => [accountId, count])).toEqual([
        ['a', 4],
        ['b', 4],
        ['c', 3],
      ]);
    });

    test('models lists those with a successful request', async () => {
      await using store = await createReadModels();
      const head = await store.append(
        completed({ model: 'b' }),
        completed({ model: 'a' }),
        completed({ model: 'a', status: 'error' }),
        completed({ model: 'nonsense', status: '404' }),
      );
      expect(await store.requestLog.models(head)).toEqual(['a', 'b']);
    });

    test('a query includes events that were appended right before it', async () => {
      await using store = await createReadModels();
      let head: Position = position(0);
      for (let count = 1; count <= 5; count++) {
        head = await store.append(completed({ requestedAt: earlier(count * HOUR), model: `m${count}` }));
        expect((await store.requestLog.page({ statuses: ['200'] }, 10, 0, head)).total).toBe(count);
        expect((await store.requestLog.options({}, head)).modelOptions).toHaveLength(count);
      }
    });
  });
}

/** @returns conditions of which each occurs now and then */
export function randomFilter(random: () => number): RequestLogFilter {
  const some = <Value>(values: readonly Value[]) => values.filter(() => random() < 0.5);
  const pairs = models.flatMap((model) => efforts.map((effort) => ({ model, effort })));
  const [from, to] = [randomMoment(random), randomMoment(random)].sort((a, b) => a - b);
  return {
    ...(random() < 0.3 && { accountIds: some(accounts) }),
    ...(random() < 0.4 && { attemptedAccountIds: some(accounts) }),
    ...(random() < 0.4 && { statuses: some(statuses) }),
    ...(random() < 0.3 && { models: some(models) }),
    ...(random() < 0.2 && { efforts: some(efforts) }),
    ...(random() < 0.2 && { modelOptions: some(pairs) }),
    ...(random() < 0.2 && { apiKeyIds: some([null, ...apiKeyIds]) }),
    ...(random() < 0.2 && { errorCodes: some([null, 'upstream_error', 'rate_limit_exceeded']) }),
    ...(random() < 0.1 && { owners: some([null, 'Ada']) }),
    ...(random() < 0.1 && { teams: some([null, 't1', 't2']) }),
    ...(random() < 0.1 && { transports: some(['http', 'websocket']) }),
    ...(random() < 0.1 && { clients: some([null, ...clients]) }),
    ...(random() < 0.1 && { addressDigests: some(['d1', 'd2', 'd3']) }),
    ...(random() < 0.1 && { conversations: some(conversations) }),
    ...(random() < 0.5 && from !== undefined && { since: from }),
    ...(random() < 0.5 && to !== undefined && { until: to }),
  };
}

const conversationsOf = ({ data }: RequestEvent): string[] =>
  data.conversation === undefined ? [] : [data.conversation, ...(data.otherConversations ?? [])];

export function matches(event: RequestEvent, filter: RequestLogFilter): boolean {
  const { model, effort, status, requestedAt } = event.data;
  const { accountIds, statuses: wanted, models: among, efforts: levels, modelOptions, since, until } = filter;
  return (
    (accountIds?.some((id) => id === accountOf(event)) ?? true) &&
    (filter.attemptedAccountIds?.some((id) => triedBy(event).includes(id)) ?? true) &&
    (wanted?.includes(status) ?? true) &&
    (among?.includes(model) ?? true) &&
    (levels?.includes(effort) ?? true) &&
    (modelOptions?.some((option) => option.model === model && option.effort === effort) ?? true) &&
    (filter.apiKeyIds?.includes(event.data.keyId) ?? true) &&
    (filter.errorCodes?.includes(event.data.errorCode) ?? true) &&
    (filter.owners?.includes(event.data.owner ?? null) ?? true) &&
    (filter.teams?.includes(event.data.team ?? null) ?? true) &&
    (filter.transports?.includes(event.data.transport ?? 'http') ?? true) &&
    (filter.clients?.includes(event.data.client?.name ?? null) ?? true) &&
    (filter.addressDigests?.includes(event.data.client?.addressDigest ?? '') ?? true) &&
    (filter.conversations?.some((id) => conversationsOf(event).includes(id)) ?? true) &&
    (since === undefined || requestedAt >= since) &&
    (until === undefined || requestedAt <= until)
  );
}
