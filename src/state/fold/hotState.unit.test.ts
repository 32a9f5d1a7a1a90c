import { expect, test } from 'vitest';
import { accountId, DAY, later, recorded, tokens, uuid } from '../../../test/support/specification.ts';
import { TokenRefreshClaimed, TokensRefreshed } from '../../domain/accountTokens/events.ts';
import { position } from '../../domain/core/brands.ts';
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
