import { expect, test } from 'vitest';
import { createPasswords } from './passwords.ts';

const cheap = createPasswords({ logN: 1 });

test('matches a password with its own hash only', async () => {
  const hash = await cheap.hash('correct horse');
  expect(hash).toMatch(/^[\w+/]{128}$/);
  expect(await cheap.matches('correct horse', hash)).toBe(true);
  for (const wrong of ['correct horse ', 'Correct horse', '']) expect(await cheap.matches(wrong, hash)).toBe(false);
});

test('salts every hash', async () =>
  expect(await cheap.hash('correct horse')).not.toBe(await cheap.hash('correct horse')));

test('uses a cost of 2^15 by default and stores it with the hash', async () => {
  const hash = await createPasswords().hash('correct horse');
  expect(Buffer.from(hash, 'base64')[7]).toBe(15);
  expect(await cheap.matches('correct horse', hash)).toBe(true);
});

test('processes many calls in turn, failures included', async () => {
  const hash = await cheap.hash('correct horse');
  const all = await Promise.allSettled(
    Array.from({ length: 40 }, (_, n) => cheap.matches('correct horse', n % 4 === 0 ? 'no hash' : hash)),
  );
  expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(10);
  expect(all.filter((result) => result.status === 'fulfilled' && result.value)).toHaveLength(30);
});

test('refuses further calls while too many are waiting', async () => {
  const hash = await cheap.hash('correct horse');
  const all = await Promise.allSettled(Array.from({ length: 110 }, () => cheap.matches('correct horse', hash)));
  const refused = all.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused).toHaveLength(8);
  expect(refused[0]).toMatchObject({ code: 'rate_limit_exceeded', details: { retryAfterSeconds: 5 } });
  expect(await cheap.matches('correct horse', hash)).toBe(true);
});

test('does not block the event loop', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await createPasswords().hash('correct horse');
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(3);
});
