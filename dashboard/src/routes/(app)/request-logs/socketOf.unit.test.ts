import { expect, test } from 'vitest';
import { socketOf } from './socketOf.ts';

test('describes the websocket of a request, and none of one over HTTP', () => {
  const socket = { id: 'ws_1', number: 3, kind: 'turn', isContinued: true };
  expect(socketOf({ transport: 'websocket', socket })).toEqual({
    id: 'ws_1',
    number: 3,
    kind: 'Turn',
    input: 'Continues a response: only what is new was sent',
  });
  expect(socketOf({ socket: { ...socket, kind: 'compaction', isContinued: false } })).toMatchObject({
    kind: 'Compaction of the conversation',
    input: 'The whole conversation was sent',
  });
  expect(socketOf({ socket: { ...socket, kind: 'later' } })?.kind).toBe('later');
  expect([socketOf({}), socketOf(undefined)]).toEqual([undefined, undefined]);
});
