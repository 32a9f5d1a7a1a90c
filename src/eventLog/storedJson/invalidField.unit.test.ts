import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { anyObject } from '../../../test/support/jsonOfShape.ts';
import { runs } from '../../../test/support/runs.ts';
import type { Schema } from '../../domain/core/schema.ts';
import { eventTypes } from '../../domain/eventTypes.ts';
import type { EventColumns } from '../sqlite/eventRows.ts';
import { toRecordedEvent } from '../sqlite/reader.ts';
import { EventDamaged, findInvalidField } from './invalidField.ts';
import { jsonShapeOf } from './jsonShape.ts';

const types = [...eventTypes.values()].map(({ type, data }) => {
  const shape = jsonShapeOf(data as unknown as Schema<z.ZodObject>);
  return { type, shape };
});

test.each(types)('accepts all data of $type, and names each required field that is missing', ({ type, shape }) => {
  const required = shape.fields.filter(({ isOptional }) => !isOptional);
  fc.assert(
    fc.property(anyObject(shape), (data) => {
      expect(findInvalidField(type, data)).toBeUndefined();
      for (const { name } of required) {
        const { [name]: _, ...rest } = data as Record<string, unknown>;
        expect(findInvalidField(type, rest)).toEqual({ path: name, isMissing: true });
      }
    }),
    runs(20),
  );
});

test.each([
  ['IpAllowed', { ip: 7 }, { path: 'ip', isMissing: false }],
  ['IpAllowed', null, { path: '', isMissing: false }],
  ['RefusalsCounted', { keyId: null, address: null, minute: 0, counts: { any: 'x' } }, { path: 'counts.any' }],
])('%s %j', (type, data, invalid) => expect(findInvalidField(type, data)).toMatchObject(invalid));

const row = (type: string, version: number, data: unknown): EventColumns => [
  7,
  'firewall-main',
  3,
  type,
  version,
  0,
  JSON.stringify(data),
];

test.each([
  ['lacks a field', 'IpAllowed', 1, {}, 'lacks the field "ip"'],
  ['has a field of the wrong kind', 'IpAllowed', 1, { ip: [] }, 'has a value of the wrong kind in "ip"'],
  ['is no object', 'IpAllowed', 1, null, 'has a value of the wrong kind in its data'],
  ['cannot be converted', 'RequestCompleted', 1, { attempts: 5 }, /RequestCompleted/],
])('refuses an event that %s, and says where and what to do', (_, type, version, data, problem) => {
  const read = () => toRecordedEvent(row(type, version, data));
  expect(read).toThrow(EventDamaged);
  expect(read).toThrow(problem);
  expect(read).toThrow(/^The event at position 7 of the log \("\w+" in stream firewall-main\) .* from a backup\.$/);
});
