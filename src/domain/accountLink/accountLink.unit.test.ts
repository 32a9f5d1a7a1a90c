import { expect, test } from 'vitest';
import {
  accountId,
  importedAccount,
  later,
  MINUTE,
  NOW,
  sealed,
  specification,
  uuid,
} from '../../../test/support/specification.ts';
import { AccountImported, AccountTokensReplaced } from '../account/events.ts';
import { decide } from './decide.ts';
import {
  AccountLinkBegun,
  AccountLinkCancelled,
  AccountLinkCodeReceived,
  AccountLinkExpired,
  AccountLinkFailed,
  AccountLinkSkipped,
} from './events.ts';
import {
  type AccountLink,
  type AccountLinkState,
  evolve,
  forgetOldLinks,
  initialState,
  isOpen,
  MAX_ENDED_LINKS,
} from './state.ts';

const accountLink = specification({ decide, evolve, initialState });
const linkId = uuid(7);
const expiresAt = later(15 * MINUTE);
const link = {
  browser: { redirectUri: 'http://127.0.0.1:1455/auth/callback' },
  device: null,
  accountId: null,
  onDuplicate: 'refuse' as const,
  expiresAt,
  node: 'a',
};
const start = { type: 'BeginLink', linkId, link } as const;
const started = AccountLinkBegun({ linkId, ...link });
const received = AccountLinkCodeReceived({ linkId, by: 'callback' });
const imported = AccountImported(importedAccount({ linkId }));
const expired = AccountLinkExpired({ linkId });
const cancelled = AccountLinkCancelled({ linkId });
const failed = AccountLinkFailed({ linkId, code: 'access_denied', accountId: null });
const progressOf = (given: { state(): AccountLinkState }) => given.state()?.progress;

const receive = { type: 'ReceiveCode', linkId, by: 'callback' } as const;
const cancel = { type: 'CancelLink', linkId } as const;
const expire = { type: 'ExpireLink', linkId } as const;
const fail = { type: 'FailLink', linkId, code: 'access_denied' } as const;
const skip = { type: 'SkipLink', linkId, accountId: accountId(1) } as const;

test('a new link waits for a code', () => {
  accountLink.when(start).then(started);
  expect(accountLink.given(started).state()).toMatchObject({
    id: linkId,
    browser: link.browser,
    device: null,
    target: null,
    progress: { kind: 'pending' },
  });
});

test('seals the provider data of a device link', () => {
  const device = { ...link, browser: null, device: { secrets: sealed('device'), intervalMs: 5_000 } };
  accountLink.when({ ...start, link: device }).then(AccountLinkBegun({ linkId, ...device }));
});

test('starting a link again changes nothing', () => accountLink.given(started).when(start).then());

test('accepts the first code and ignores a second one', () => {
  accountLink.given(started).when(receive).then(received);
  accountLink.given(started, received).when(receive).then();
  accountLink.given(started, received, imported).when(receive).then();
});

test('a late code ends the link and is not exchanged', () => {
  accountLink
    .given(started)
    .when(receive, { now: later(15 * MINUTE - 1) })
    .then(received);
  accountLink.given(started).when(receive, { now: expiresAt }).then(expired);
});

test('importing the account ends the link', () => {
  expect(progressOf(accountLink.given(started, received, imported))).toEqual({
    kind: 'done',
    outcome: 'imported',
    accountId: accountId(1),
  });
  expect(
    progressOf(accountLink.given(started, received, AccountTokensReplaced(importedAccount({ linkId })))),
  ).toMatchObject({
    outcome: 'replaced',
  });
});

test('can skip a known account', () => {
  const skipped = AccountLinkSkipped({ linkId, accountId: accountId(1) });
  accountLink.given(started, received).when(skip).then(skipped);
  expect(progressOf(accountLink.given(started, received, skipped))).toMatchObject({ kind: 'done', outcome: 'skipped' });
});

test('fails before or after the code, with the wrong account if any', () => {
  accountLink.given(started).when(fail).then(failed);
  const wrong = AccountLinkFailed({ linkId, code: 'wrong_account', accountId: accountId(2) });
  accountLink
    .given(started, received)
    .when({ ...fail, code: 'wrong_account', accountId: accountId(2) })
    .then(wrong);
  expect(progressOf(accountLink.given(started, received, wrong))).toEqual({
    kind: 'failed',
    code: 'wrong_account',
    accountId: accountId(2),
  });
});

test('can be cancelled while it waits, not while a code is exchanged', () => {
  accountLink.given(started).when(cancel).then(cancelled);
  accountLink.given(started, received).when(cancel).refuses('conflict');
  expect(progressOf(accountLink.given(started, cancelled))).toMatchObject({ kind: 'failed', code: 'cancelled' });
});

test('expires at its time, not before, and not while a code is exchanged', () => {
  accountLink
    .given(started)
    .when(expire, { now: later(15 * MINUTE - 1) })
    .then();
  accountLink.given(started).when(expire, { now: expiresAt }).then(expired);
  accountLink.given(started, received).when(expire, { now: expiresAt }).then();
});

test.each([
  ['done', [received, imported]],
  ['failed', [failed]],
  ['cancelled', [cancelled]],
  ['expired', [expired]],
] as const)('what is %s stays so', (_name, events) => {
  for (const command of [receive, cancel, expire, fail, skip]) {
    accountLink
      .given(started, ...events)
      .when(command, { now: expiresAt })
      .then();
  }
});

test.each([receive, cancel, expire, fail, skip])('$type is refused for an unknown link', (command) =>
  accountLink.when(command).refuses('oauth_flow_not_found', { flowId: linkId }),
);

test('keeps all open links and only the latest ended ones', () => {
  const open = accountLink.given(started).state() as AccountLink;
  const closed = accountLink.given(started, cancelled).state() as AccountLink;
  const links = new Map<string, AccountLink>();
  for (let n = 0; n < 3 * MAX_ENDED_LINKS; n++) links.set(uuid(n), { ...(n % 3 === 0 ? open : closed), id: uuid(n) });
  forgetOldLinks(links);
  expect([...links.values()].filter(isOpen)).toHaveLength(MAX_ENDED_LINKS);
  const ended = [...links.values()].filter((link) => !isOpen(link));
  expect(ended).toHaveLength(MAX_ENDED_LINKS);
  expect(ended.at(-1)?.id).toBe(uuid(3 * MAX_ENDED_LINKS - 1));
  expect(NOW).toBeLessThan(expiresAt);
});
