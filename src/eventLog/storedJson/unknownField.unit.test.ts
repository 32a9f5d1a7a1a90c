import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { anyObject } from '../../../test/support/jsonOfShape.ts';
import { runs } from '../../../test/support/runs.ts';
import type { Schema } from '../../domain/core/schema.ts';
import { eventTypes } from '../../domain/eventTypes.ts';
import type { EventColumns } from '../sqlite/eventRows.ts';
import { toRecordedEvent } from '../sqlite/reader.ts';
import { jsonShapeOf } from './jsonShape.ts';
import { findUnknownField, findUnknownFields, UnknownField } from './unknownField.ts';

const types = [...eventTypes.values()].map(({ type, data }) => {
  const shape = jsonShapeOf(data as unknown as Schema<z.ZodObject>);
  return { type, shape };
});

test.each(types)('knows every field of $type, and finds one that its schema lacks', ({ type, shape }) => {
  fc.assert(
    fc.property(anyObject(shape), (data) => {
      expect(findUnknownField(type, data)).toBeUndefined();
      expect(findUnknownField(type, { ...data, surplus: null })).toBe('surplus');
    }),
    runs(20),
  );
});

test.each([
  ['RequestCompleted', { pin: { digest: 'd', isFallback: false, x: 1 } }, 'pin.x'],
  ['RequestCompleted', { attempts: [{ outcome: 'ok' }, { outcome: 'ok', x: 1 }] }, 'attempts.1.x'],
  ['RequestCompleted', { usage: null, admission: { estimate: { x: 1 } } }, 'admission.estimate.x'],
  ['RequestCompleted', { admission: { reserved: [['key', 'k', 1, 2, 3]] } }, 'admission.reserved.0.4'],
  ['PricesPublished', { models: [{ tiers: { any_name: 2 } }] }, undefined],
  ['RefusalsCounted', { counts: { any_code: 2 } }, undefined],
  ['PricesPublished', { models: [{ longContext: { x: 1 } }] }, 'models.0.longContext.x'],
])('%s %j', (type, data, field) => {
  expect(findUnknownField(type, data)).toBe(field);
  expect(findUnknownFields(type, data)).toEqual(field === undefined ? [] : [field]);
});

test('finds all surplus fields of an event', () => {
  const attempts = [
    { outcome: 'ok', x: 1 },
    { outcome: 'ok', x: { below: 1 }, overlay: { y: 1 } },
  ];
  const fields = ['surplus', 'attempts.0.x', 'attempts.1.x', 'attempts.1.overlay.y', 'usage.z'];
  expect(findUnknownFields('RequestCompleted', { surplus: 1, attempts, pin: null, usage: { z: 1 } })).toEqual(fields);
  expect(findUnknownFields('NoSuchType', { x: 1 })).toEqual([]);
});

const row = (type: string, version: number, data: object): EventColumns => [
  7,
  'apiKey-1',
  0,
  type,
  version,
  0,
  JSON.stringify(data),
];

test('refuses a surplus field from version 2 on, and says what to do', () => {
  const counted = { keyId: null, address: null, minute: 0, counts: { ip_forbidden: 1 } };
  expect(() => toRecordedEvent(row('RefusalsCounted', 2, { ...counted, severity: 'high' }))).toThrow(
    expect.objectContaining({
      name: UnknownField.name,
      message: expect.stringMatching(
        /"RefusalsCounted" at position 7 has a field "severity".*Start a newer version\.$/,
      ),
    }),
  );
});

test('keeps a surplus field of version 1, which earlier versions of svc ignored', () => {
  expect(toRecordedEvent(row('IpAllowed', 1, { ip: '10.0.0.1', note: 'office' })).data).toEqual({
    ip: '10.0.0.1',
    note: 'office',
  });
  const counted = { keyId: null, address: null, minute: 0, counts: { ip_forbidden: 1 }, severity: 'high' };
  expect(toRecordedEvent(row('RefusalsCounted', 1, counted)).data).toEqual(counted);
});

test('a type that is new since then refuses them in version 1', () => {
  const accepted = eventTypes.get('LossAccepted');
  expect(accepted?.version).toBe(1);
  expect(() => toRecordedEvent(row('LossAccepted', 1, { surplus: 1 }))).toThrow(UnknownField);
});
