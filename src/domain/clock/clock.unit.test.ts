import { expect, test } from 'vitest';
import { DAY, later, NOW, specification } from '../../../test/support/specification.ts';
import { windowsClock } from './decide.ts';
import { ClockAccepted } from './events.ts';

const clock = specification(windowsClock);
const accepted = ClockAccepted({ node: 'a', from: later(365 * DAY), to: NOW });

test('accepting a clock that is behind the windows sets them back to it', () => {
  const ahead = clock.given(ClockAccepted({ node: 'a', from: NOW, to: later(365 * DAY) }));
  ahead.when({ type: 'AcceptClock', node: 'a' }).then(accepted);
  expect(ahead.when({ type: 'AcceptClock', node: 'a' }).state().time).toBe(NOW);
});

test('accepting a clock that the windows follow changes nothing', () =>
  clock
    .given(accepted)
    .when({ type: 'AcceptClock', node: 'a' }, { now: later(1) })
    .then());

test('accepting a clock that was held sets the windows ahead to it', () =>
  clock
    .given(accepted)
    .when({ type: 'AcceptClock', node: 'b', isHeld: true }, { now: later(DAY) })
    .then(ClockAccepted({ node: 'b', from: NOW, to: later(DAY) })));
