import { expect, test } from 'vitest';
import { attemptsOf } from '../../../test/contract/readModels/randomRequests.ts';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import { completed } from '../../../test/support/management.ts';
import { accountId, importedAccount, later, NOW, recorded } from '../../../test/support/specification.ts';
import { AccountDeactivated, AccountDeleted, AccountImported, AccountPaused } from '../../domain/account/events.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import type { DomainEvent } from '../../domain/core/event.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { emptyFold } from '../../state/fold/fold.ts';
import { watchFailingAccounts } from './watchFailingAccounts.ts';

const [A, B] = [accountId(1), accountId(2)];

/** Two accounts. @param before events that happen before the watch starts */
function start(before: readonly DomainEvent[] = []) {
  const lines: string[] = [];
  const faults = collectFaults(lines);
  const { state } = emptyFold();
  const listeners: ((event: RecordedEvent) => void)[] = [];
  let index = 0;
  const fold = (...events: DomainEvent[]) => {
    for (const event of events) {
      const folded = { ...recorded(event, index++), time: NOW } as RecordedEvent;
      state.apply(folded);
      for (const listener of listeners) listener(folded);
    }
  };
  for (const id of [A, B]) fold(AccountImported(importedAccount({ accountId: id })));
  fold(...before);
  const hot = { state, onFolded: (listener: (event: RecordedEvent) => void) => void listeners.push(listener) };
  watchFailingAccounts({ hot, faults, now: () => later(1) });
  return { lines, fold, codes: () => faults.current.map(({ code, subject }) => `${code} ${subject}`) };
}

/** A request that tried these accounts, of which the last one served it. */
const served = (...accountIds: AccountId[]) =>
  completed({ accountId: accountIds.at(-1) as AccountId, attempts: attemptsOf(accountIds) });
const failed = (id: AccountId) =>
  completed({ accountId: id, status: '502', attempts: attemptsOf([id, id]).slice(0, 1), usage: null });

test('says once that an account is failing while another one serves, until it serves again', () => {
  const { fold, codes, lines } = start();
  fold(served(A, B), served(A, B));
  expect(codes()).toEqual([]);
  fold(served(A, B), served(A, B), served(A, B));
  expect(codes()).toEqual([`account_failing ${A}`]);
  expect(lines).toEqual([
    `Account ${A} is failing: 3 of its last 3 attempts failed, the last one with: provider error. Other accounts serve its requests. Look at the account at the provider, sign in to it again, or pause it.`,
  ]);
  fold(served(B));
  expect(codes()).toHaveLength(1);
  fold(served(A));
  expect([codes(), lines.at(-1)]).toEqual([[], `Account ${A} serves requests again.`]);
});

test('does not accuse accounts while none serves', () => {
  const { fold, codes } = start();
  fold(failed(A), failed(B), failed(A), failed(B), failed(A), failed(B));
  expect(codes()).toEqual([]);
});

test('says at a start which accounts are failing, unless all are', () => {
  const failing = [served(A, B), served(A, B), served(A, B)];
  expect(start(failing).codes()).toEqual([`account_failing ${A}`]);
  expect(start([...failing, failed(B), failed(B), failed(B)]).codes()).toEqual([]);
});

test.each([
  AccountPaused({ accountId: A, from: 'active' }),
  AccountDeactivated({ accountId: A, from: 'active', reason: 'r', code: 'c' }),
  AccountDeleted({ accountId: A, from: 'active' } as never),
])('ends with $type', (event) => {
  const { fold, codes } = start([served(A, B), served(A, B), served(A, B)]);
  fold(event);
  expect(codes()).toEqual([]);
});
