import { describe, expect, test } from 'vitest';
import { accountId, at, DAY, earlier, later, NOW, specification, uuid } from '../../../test/support/specification.ts';
import { hold as rules } from './decide.ts';
import { type HoldEvent, HoldLifted, HoldPlaced } from './events.ts';
import { retainIfHeld } from './state.ts';

const hold = specification(rules);
const everything = { subject: null, from: null, until: null } as const;
const placed = (id: number, scope: Partial<Parameters<typeof HoldPlaced>[0]> = {}) =>
  HoldPlaced({ holdId: uuid(id), reason: 'case 7', ...everything, ...scope });
const lifted = (id: number) => HoldLifted({ holdId: uuid(id), reason: 'case 7 is closed' });
const place = { type: 'PlaceHold', holdId: uuid(1), reason: 'case 7', ...everything } as const;
const lift = { type: 'LiftHold', holdId: uuid(1), reason: 'case 7 is closed' } as const;

describe('placing a hold', () => {
  test('places it on everything, on a subject, on a period', () => {
    hold.when(place).then(placed(1));
    for (const scope of [
      { subject: 'apiKey-1' },
      { from: NOW },
      { from: NOW, until: later(DAY), subject: 'request-r' },
    ]) {
      hold.when({ ...place, ...scope }).then(placed(1, scope));
    }
    expect(
      hold
        .given(at(NOW, placed(1)))
        .state()
        .active.get(uuid(1)),
    ).toMatchObject({ reason: 'case 7', placedAt: NOW });
  });

  test('trims the reason and demands one of at most 500 characters', () => {
    hold.when({ ...place, reason: ' case 7\n' }).then(placed(1));
    hold.when({ ...place, reason: ' ' }).refuses('invalid_hold', { param: 'reason' });
    hold.when({ ...place, reason: 'x'.repeat(501) }).refuses('invalid_hold', { param: 'reason' });
  });

  test.each(['session-1', 'apiKey-', 'account-a b', 'account', `request-${'x'.repeat(300)}`, ''])(
    'refuses the subject "%s"',
    (subject) => hold.when({ ...place, subject }).refuses('invalid_hold', { param: 'subject' }),
  );

  test('refuses a period that ends before it begins', () => {
    hold.when({ ...place, from: NOW, until: NOW }).refuses('invalid_hold', { param: 'until' });
    hold.when({ ...place, from: NOW, until: earlier(1) }).refuses('invalid_hold', { param: 'until' });
  });

  test('refuses one beyond a hundred, until one is lifted', () => {
    const many = Array.from({ length: 100 }, (_, index) => placed(index + 2));
    hold
      .given(...many)
      .when(place)
      .refuses('invalid_hold', { problem: expect.stringContaining('100') });
    hold
      .given(...many, lifted(5))
      .when(place)
      .then(placed(1));
  });
});

test('lifts a hold with a reason, once', () => {
  hold.given(placed(1)).when(lift).then(lifted(1));
  hold
    .given(placed(1))
    .when({ ...lift, reason: '' })
    .refuses('invalid_hold', { param: 'reason' });
  hold
    .given(placed(1), lifted(1))
    .when(lift)
    .refuses('hold_not_found', { holdId: uuid(1) });
  hold.when(lift).refuses('hold_not_found');
});

describe('an account that is deleted', () => {
  const id = accountId(1);
  const deleted = (...events: HoldEvent[]) => retainIfHeld(hold.given(...events).state(), id, earlier(10 * DAY), NOW);

  test.each([
    ['on everything', {}, true],
    ['on the account', { subject: `account-${id}` }, true],
    ['on another account', { subject: 'account-other' }, false],
    ['on a key', { subject: 'apiKey-1' }, false],
    ['on a period in its life', { from: earlier(5 * DAY), until: earlier(4 * DAY) }, true],
    ['on a period before its import', { until: earlier(10 * DAY) }, false],
    ['on a period since its deletion', { from: later(1) }, false],
    ['that begins when it was deleted', { from: NOW }, true],
  ])('under a hold %s is retained or not', (_, scope, isRetained) => {
    expect(deleted(placed(1, scope)).retained.has(id)).toBe(isRetained);
  });

  test('is retained until the last hold on it ends, and not by a later one', () => {
    const under = deleted(placed(1), placed(2, { subject: `account-${id}` }), placed(3, { subject: 'apiKey-1' }));
    const first = rules.evolve(under, { ...lifted(1), position: 9, time: NOW, stream: 's', revision: 9 } as never);
    expect(first.retained.has(id)).toBe(true);
    const second = rules.evolve(first, { ...lifted(2), position: 10, time: NOW, stream: 's', revision: 10 } as never);
    expect(second.retained.has(id)).toBe(false);
    expect(deleted().retained.has(id)).toBe(false);
  });

  test('and imported again keeps the earlier begin of its life', () => {
    const first = deleted(placed(1, { until: earlier(9 * DAY) }));
    const again = retainIfHeld(first, id, later(DAY), later(2 * DAY));
    expect(again.retained.get(id)).toEqual({ from: earlier(10 * DAY), until: later(2 * DAY) });
  });
});
