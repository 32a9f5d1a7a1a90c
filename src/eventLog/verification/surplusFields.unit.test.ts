import { expect, test } from 'vitest';
import { SurplusFields } from './surplusFields.ts';

const METADATA = { metadataVersion: 2, actor: { kind: 'anonymous' }, correlationId: 'c', node: 'n' };
const event = (position: number, type: string, version: number, data: object, metadata: object = {}) => ({
  position,
  type,
  version,
  data: JSON.stringify(data),
  metadata: JSON.stringify({ schemaVersion: version, ...METADATA, previousHash: '0', hash: '1', ...metadata }),
});

test('names what is unknown in metadata of any version of an event, once for all types', () => {
  const fields = new SurplusFields(0);
  const later = { metadataVersion: 3, colour: 'red', actor: { kind: 'system', reason: 'r', note: 1 } };
  fields.add(event(1, 'RequestCompleted', 2, {}, later));
  fields.add(event(2, 'LossAccepted', 1, {}, { ...later, actor: { kind: 'robot' } }));
  expect(fields.take().map(({ type, field, position }) => [type, field, position])).toEqual([
    ['RequestCompleted', 'metadata.metadataVersion', 1],
    ['RequestCompleted', 'metadata.colour', 1],
    ['RequestCompleted', 'metadata.actor.note', 1],
    ['LossAccepted', 'metadata.actor.kind', 2],
  ]);
});

test('knows the metadata of every actor and version that svc has written', () => {
  const fields = new SurplusFields(0);
  const operator = { kind: 'operator', sessionId: 's', address: null, userAgent: null, usedTotp: false };
  const actors = [
    operator,
    { ...operator, operatorId: 'o', tokenId: 't', method: 'passkey', addressDigest: 'd' },
    { kind: 'apiKey', keyId: 'k' },
    { kind: 'cli', command: 'c', user: null },
    { kind: 'system', reason: 'r' },
  ];
  for (const actor of actors) {
    fields.add(event(1, 'RequestCompleted', 2, {}, { actor, causationId: 'x' }));
    fields.add(event(1, 'RequestCompleted', 2, {}, { actor, causationId: null, metadataVersion: undefined }));
  }
  expect(fields.take()).toEqual([]);
});

test('names a field of an older event by its type and path, without the places in lists, once', () => {
  const fields = new SurplusFields(0);
  const attempt = { outcome: 'ok', x: 1 };
  fields.add(event(3, 'RequestCompleted', 1, { attempts: [attempt, attempt], pin: { y: 1 } }));
  fields.add(event(4, 'RequestCompleted', 1, { attempts: [attempt] }));
  expect(fields.take()).toEqual([
    { type: 'RequestCompleted', version: 1, field: 'attempts.x', position: 3 },
    { type: 'RequestCompleted', version: 1, field: 'pin.y', position: 3 },
  ]);
  fields.add(event(5, 'RequestCompleted', 1, { attempts: [attempt] }));
  expect(fields.take()).toEqual([]);
});

test('knows the fields that an older version had', () => {
  const fields = new SurplusFields(0);
  const admission = { decidedAt: 1, asOf: 2, v: 1, estimate: {}, reserved: [[1, 2]] };
  fields.add(event(1, 'RequestCompleted', 1, { keyId: 'k', admission, attempts: [] }));
  expect(fields.take()).toEqual([]);
});

test.each([
  ['at a position that was checked before', event(2, 'IpAllowed', 1, { x: 1 })],
  ['of a version that refuses them', event(3, 'RequestCompleted', 2, { x: 1 })],
  ['of a type that refuses them', event(3, 'LossAccepted', 1, { x: 1 })],
  ['of an unknown type', event(3, 'NoSuchType', 1, { x: 1 })],
  ['of an event that lacks fields', event(3, 'RequestCompleted', 1, { admission: {}, x: 1 })],
  ['of an event that is not JSON', { position: 3, type: 'IpAllowed', version: 1, data: '{', metadata: '{' }],
])('names none %s', (_what, each) => {
  const fields = new SurplusFields(2);
  fields.add(each);
  expect(fields.take()).toEqual([]);
});

test('shows names that anybody may have chosen in plain characters, cut', () => {
  const fields = new SurplusFields(0);
  fields.add(event(1, 'IpAllowed', 1, { [`\u001b[2J${'a'.repeat(200)}`]: 1 }));
  expect(fields.take().map(({ field }) => field)).toEqual([`??2J${'a'.repeat(76)}`]);
});
