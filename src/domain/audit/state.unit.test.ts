import { expect, test } from 'vitest';
import { NOW } from '../../../test/support/specification.ts';
import { instant, position } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import { type AuditEvent, NodeStarted, NodeStopped, VerificationMade } from './events.ts';
import { type AuditState, evolve, initialState } from './state.ts';

const fold = (...events: readonly AuditEvent[]): AuditState =>
  events.reduce((state, event, index) => {
    const place = { position: position(index + 1), time: instant(NOW + index), stream: 's', revision: index };
    return evolve(state, { ...event, ...place } as Recorded<AuditEvent>);
  }, initialState);

const started = (boot: string, node = 'a') => NodeStarted({ node, boot, version: '0.1.0', previous: null });
const stopped = (boot: string, node = 'a') => NodeStopped({ node, boot, reason: 'signal', detail: 'SIGTERM' });

test('knows the last start of a node and how it ended', () => {
  expect(fold(started('b1')).nodes.get('a')).toEqual({ boot: 'b1', version: '0.1.0', startedAt: NOW, stopped: null });
  expect(fold(started('b1'), stopped('b1')).nodes.get('a')?.stopped).toEqual({
    at: NOW + 1,
    reason: 'signal',
    detail: 'SIGTERM',
  });
  expect(fold(started('b1'), stopped('b1'), started('b2')).nodes.get('a')).toMatchObject({ boot: 'b2', stopped: null });
});

test('a stop or a start that comes late changes nothing', () => {
  expect(fold(started('b2'), stopped('b1')).nodes.get('a')).toMatchObject({ boot: 'b2', stopped: null });
  expect(fold(started('b2'), started('b1')).nodes.get('a')).toMatchObject({ boot: 'b2' });
  expect(fold(stopped('b1')).nodes.size).toBe(0);
});

test('forgets the node that started longest ago once there are a thousand', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => started('b1', `n${index}`));
  const { nodes } = fold(...many, started('b2', 'n0'), started('b1', 'another'));
  expect([nodes.size, nodes.has('n0'), nodes.has('n1'), nodes.has('another')]).toEqual([1_000, true, false, true]);
});

test('keeps the last verification with its time', () => {
  const made = (ok: boolean) =>
    VerificationMade({
      node: 'a',
      from: position(1),
      to: position(9),
      events: 9,
      ok,
      findings: ok ? 0 : 1,
      kinds: ok ? [] : ['edited'],
      root: null,
    });
  expect(fold(made(true), made(false)).verification).toMatchObject({ at: NOW + 1, ok: false, kinds: ['edited'] });
});
