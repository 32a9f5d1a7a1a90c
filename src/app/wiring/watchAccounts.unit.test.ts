import { expect, test } from 'vitest';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { emptyFold } from '../../state/fold/fold.ts';
import { watchAccounts } from './watchAccounts.ts';

function start(deactivated: readonly string[] = []) {
  const lines: string[] = [];
  const faults = collectFaults(lines);
  const { state } = emptyFold();
  for (const id of deactivated)
    state.accounts.set(id as never, { id, status: 'deactivated', deactivationReason: 'token_expired' } as never);
  let onFolded: (event: RecordedEvent) => void = () => undefined;
  watchAccounts({
    hot: {
      state,
      onFolded: (listener) => {
        onFolded = listener;
      },
    },
    faults,
  });
  const fold = (type: string, accountId = 'a') =>
    onFolded({ type, data: { accountId, reason: 'the refresh token was revoked' } } as unknown as RecordedEvent);
  const codes = () => faults.current.map(({ code, subject }) => `${code} ${subject}`);
  return { lines, faults, fold, codes };
}

test('says at a start which accounts are deactivated', () => {
  const { lines, codes } = start(['a', 'b']);
  expect(codes()).toEqual(['account_deactivated a', 'account_deactivated b']);
  expect(lines[0]).toBe(
    'Account a is deactivated and serves no requests: token_expired. To use it, sign in to it again or import it again; else delete it.',
  );
});

test.each(['AccountTokensReplaced', 'AccountReactivated', 'AccountPaused', 'AccountDeleted', 'AccountImported'])(
  'says that an account was deactivated, until %s',
  (type) => {
    const { fold, codes, lines } = start();
    fold('AccountDeactivated');
    expect([codes(), lines.length]).toEqual([['account_deactivated a'], 1]);
    fold(type, 'b');
    expect(codes()).toHaveLength(1);
    fold(type);
    expect([codes(), lines.length]).toEqual([[], 2]);
  },
);

test.each([
  ['TokensRefreshed', ['usage_unavailable a']],
  ['AccountTokensReplaced', ['usage_unavailable a']],
  ['AccountDeactivated', ['account_deactivated a']],
  ['AccountDeleted', []],
])('ends with %s the faults that it ends', (type, remaining) => {
  const { faults, fold, codes } = start();
  for (const code of ['tokens_unreadable', 'tokens_not_refreshed', 'usage_unavailable'])
    faults.raise({ code, subject: 'a', cause: 'c', remedy: 'r' });
  fold(type);
  expect(codes()).toEqual(remaining);
});
