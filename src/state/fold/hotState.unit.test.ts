import { expect, test } from 'vitest';
import {
  accountId,
  DAY,
  importedAccount,
  ip,
  later,
  NOW,
  recorded,
  tokens,
  uuid,
} from '../../../test/support/specification.ts';
import {
  AccountDeleted,
  AccountImported,
  AccountReactivated,
  AccountTokensReplaced,
} from '../../domain/account/events.ts';
import { TokenRefreshClaimed, TokensRefreshed } from '../../domain/accountTokens/events.ts';
import { AccountRecovered, accountsCooled } from '../../domain/coolDown/events.ts';
import { position } from '../../domain/core/brands.ts';
import { IpAllowed, IpRevoked } from '../../domain/firewall/events.ts';
import { copyState } from './checkpoints.ts';
import { HotState } from './hotState.ts';

test('keeps no revisions of the streams with the results of token refreshes', () => {
  const hot = new HotState();
  const ids = { accountId: accountId(1), claimId: uuid(1) };
  for (let day = 0; day < 400; day++) {
    const time = later(day * DAY);
    const claimed = TokenRefreshClaimed({ ...ids, expiresAt: later(DAY, time) });
    const refreshed = TokensRefreshed({ ...ids, tokens: tokens(`of day ${day}`) });
    const claim = { stream: 'accountTokens-account_1', revision: day, position: position(2 * day + 1), time };
    const result = { stream: `refreshes-n1.b1_day${day}`, revision: 0, position: position(2 * day + 2), time };
    hot.apply({ ...recorded(claimed), ...claim } as never);
    hot.apply({ ...recorded(refreshed), ...result } as never);
  }
  expect([...hot.revisions]).toEqual([['accountTokens-account_1', 399]]);
});

test('ends the cool-down that stood for a limit when the log has the limit', () => {
  const [limited, failed] = [accountId(1), accountId(2)];
  const hot = new HotState();
  let last = 0;
  const apply = (event: Parameters<typeof recorded>[0]) =>
    hot.apply({ ...recorded(event), position: position(++last) } as never);
  for (const id of [limited, failed]) apply(AccountImported(importedAccount({ accountId: id })));
  const cooled = { since: NOW, until: later(DAY), cause: 'usage_limit' };
  const accounts = [
    { accountId: limited, ...cooled, failures: 0 },
    { accountId: failed, ...cooled, failures: 1 },
  ];
  apply(accountsCooled({ number: 1, requests: [{ requestId: 'req_1', accounts }] }));
  expect([...hot.coolDowns.keys()]).toEqual([limited, failed]);
  const attempts = [limited, failed].map((id) => ({ accountId: id, endedAt: NOW, limitedUntil: later(DAY) }));
  apply({ type: 'RequestCompleted', data: { requestId: 'req_1', keyId: null, status: '429', attempts } });
  expect([...hot.coolDowns.keys()]).toEqual([failed]);
  expect(hot.usage.get(limited)?.limited?.until).toBe(later(DAY));
});

test.each([
  ['it is reactivated', AccountReactivated({ accountId: accountId(1), from: 'paused' })],
  ['it gets new tokens', AccountTokensReplaced(importedAccount({ accountId: accountId(1) }))],
  ['it is deleted', AccountDeleted({ accountId: accountId(1) })],
  ['it succeeds', AccountRecovered({ number: 2, accountId: accountId(1), requestId: 'req_2' })],
])('the cool-down of an account ends when %s', (_when, event) => {
  const hot = new HotState();
  const account = { accountId: accountId(1), since: NOW, until: later(DAY), cause: 'throttled', failures: 1 };
  const cooled = accountsCooled({ number: 1, requests: [{ requestId: 'req_1', accounts: [account] }] });
  for (const each of [AccountImported(importedAccount({ accountId: accountId(1) })), cooled])
    hot.apply(recorded(each) as never);
  expect(hot.coolDowns.size).toBe(1);
  hot.apply(recorded(event) as never);
  expect(hot.coolDowns.size).toBe(0);
});

test('changes of the allowlist reach no state that was copied, in either direction', () => {
  const [one, two, three] = [ip('10.0.0.1'), ip('10.0.0.2'), ip('10.0.0.3')];
  const addresses = (state: HotState) => [...state.firewall.keys()];
  const hot = new HotState();
  const apply = (state: HotState, event: Parameters<typeof recorded>[0]) => state.apply(recorded(event) as never);
  apply(hot, IpAllowed({ ip: one }));
  const copy = copyState(hot);
  const data = hot.data();
  apply(hot, IpAllowed({ ip: two }));
  apply(hot, IpRevoked({ ip: one }));
  expect([addresses(hot), addresses(copy), [...data.firewall.keys()]]).toEqual([[two], [one], [one]]);
  apply(copy, IpAllowed({ ip: three }));
  expect([addresses(hot), addresses(copy), [...data.firewall.keys()]]).toEqual([[two], [one, three], [one]]);
  expect(new HotState().firewall.size).toBe(0);
});
