import { expect, test } from 'vitest';
import { createConversationNames } from './conversationNames.ts';

/** Names by their values, and how often each value was digested. */
function namesUnderTest() {
  const digested: string[] = [];
  const nameOf = createConversationNames((value) => {
    digested.push(value);
    return `digest of ${value}`;
  });
  return { nameOf, digested };
}

const firstMessage = (index: number) => `${index} `.padEnd(2_048, 'é');

test('digests the first message of a conversation once', () => {
  const { nameOf, digested } = namesUnderTest();
  const names = [firstMessage(1), firstMessage(2), firstMessage(1)].map((key) => nameOf('client', key));
  expect(names).toEqual([1, 2, 1].map((index) => `digest of client\n${firstMessage(index)}`));
  expect(nameOf('other', firstMessage(1))).toBe(`digest of other\n${firstMessage(1)}`);
  expect(digested).toHaveLength(3);
});

test('forgets names before their keys take more memory than 10,000 short ones', () => {
  const { nameOf, digested } = namesUnderTest();
  for (let index = 0; index < 1_300; index++) nameOf('client', firstMessage(index));
  nameOf('client', firstMessage(1_299));
  expect(digested).toHaveLength(1_300);
  nameOf('client', firstMessage(0));
  expect(digested).toHaveLength(1_301);
});

test('keeps no key that is longer than a first message', () => {
  const { nameOf, digested } = namesUnderTest();
  const key = 'a'.repeat(2_049);
  nameOf('client', key);
  nameOf('client', key);
  expect(digested).toHaveLength(2);
});
