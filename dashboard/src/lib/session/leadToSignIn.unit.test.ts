import { expect, test } from 'vitest';
import { leadToSignIn } from './leadToSignIn.ts';
import type { SignedIn } from './session.svelte.ts';

/** Somebody who looks at /settings, and goes where they are led, one step after the service has answered. */
function somebody(signedIn: SignedIn | Error = 'out', { isLeaving = false } = {}) {
  const led: string[] = [];
  let url = new URL('http://svc/settings?show=sessions');
  let asked = 0;
  const onSignedOut = leadToSignIn({
    here: () => url,
    isLeaving: () => isLeaving,
    async refresh() {
      asked++;
      if (signedIn instanceof Error) throw signedIn;
      return signedIn;
    },
    async goTo(path) {
      led.push(path);
      await Promise.resolve();
      url = new URL(path, url);
    },
  });
  return { led, onSignedOut, asked: () => asked };
}

const SIGN_IN = '/sign-in?next=%2Fsettings%3Fshow%3Dsessions';

test('several answers at once that the session has ended lead to the sign-in once, and back to the page', async () => {
  const { led, onSignedOut, asked } = somebody();
  await Promise.all([onSignedOut(), onSignedOut(), onSignedOut()]);
  expect(led).toEqual([SIGN_IN]);
  expect(asked()).toBe(1);
});

test('an answer that comes while the way to the sign-in is open leads nowhere else', async () => {
  const { led, onSignedOut } = somebody();
  const first = onSignedOut();
  while (led.length === 0) await Promise.resolve();
  await Promise.all([first, onSignedOut()]);
  expect(led).toEqual([SIGN_IN]);
});

test('the next session that ends leads to the sign-in again', async () => {
  const { led, onSignedOut } = somebody();
  await onSignedOut();
  await onSignedOut();
  expect(led).toHaveLength(2);
});

test('without a password the way leads to where one is set', async () => {
  const { led, onSignedOut } = somebody('set-up');
  await onSignedOut();
  expect(led).toEqual(['/set-up']);
});

test.each(['in', 'open'] as const)('whoever is %s after all stays', async (signedIn) => {
  const { led, onSignedOut } = somebody(signedIn);
  await onSignedOut();
  expect(led).toEqual([]);
});

test('while the service does not answer nobody is led away, and later somebody may be', async () => {
  const { led, onSignedOut, asked } = somebody(new Error('away'));
  await onSignedOut();
  await onSignedOut();
  expect(led).toEqual([]);
  expect(asked()).toBe(2);
});

test('whoever signs out on purpose is not led', async () => {
  const { led, onSignedOut, asked } = somebody('out', { isLeaving: true });
  await onSignedOut();
  expect(led).toEqual([]);
  expect(asked()).toBe(0);
});
