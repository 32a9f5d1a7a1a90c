import { expect, test } from 'vitest';
import { createPasswords } from './passwords.ts';

const cheap = createPasswords({ logN: 1 });

test('a password matches its hash and no other', async () => {
  const hash = await cheap.hash('correct horse');
  expect(hash).toMatch(/^[\w+/]{128}$/);
  expect(await cheap.matches('correct horse', hash)).toBe(true);
  for (const wrong of ['correct horse ', 'Correct horse', '']) expect(await cheap.matches(wrong, hash)).toBe(false);
});

test('one password has many hashes', async () =>
  expect(await cheap.hash('correct horse')).not.toBe(await cheap.hash('correct horse')));

test('the cost is 2^15 unless a test asks for less, and is kept with the hash', async () => {
  const hash = await createPasswords().hash('correct horse');
  expect(Buffer.from(hash, 'base64')[7]).toBe(15);
  expect(await cheap.matches('correct horse', hash)).toBe(true);
});

test('many at once are done one after the other, and a failure keeps nobody waiting', async () => {
  const hash = await cheap.hash('correct horse');
  const all = await Promise.allSettled(
    Array.from({ length: 40 }, (_, n) => cheap.matches('correct horse', n % 4 === 0 ? 'no hash' : hash)),
  );
  expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(10);
  expect(all.filter((result) => result.status === 'fulfilled' && result.value)).toHaveLength(30);
});

test('when too many wait, the next one is told to come back', async () => {
  const hash = await cheap.hash('correct horse');
  const all = await Promise.allSettled(Array.from({ length: 110 }, () => cheap.matches('correct horse', hash)));
  const refused = all.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused).toHaveLength(8);
  expect(refused[0]).toMatchObject({ code: 'rate_limit_exceeded', details: { retryAfterSeconds: 5 } });
  expect(await cheap.matches('correct horse', hash)).toBe(true);
});

test('the main loop goes on meanwhile', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await createPasswords().hash('correct horse');
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(3);
});
