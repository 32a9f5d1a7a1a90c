import { expect, test } from 'vitest';
import { redirectToSignIn } from './redirectToSignIn.ts';
import type { SessionStatus } from './session.svelte.ts';

/** A browser on /settings that navigates one microtask after the service has responded. */
function startOnSettings(status: SessionStatus | Error = 'out', { isSigningOut = false } = {}) {
  const redirects: string[] = [];
  let url = new URL('http://svc/settings?show=sessions');
  let asked = 0;
  const onSignedOut = redirectToSignIn({
    currentUrl: () => url,
    isSigningOut: () => isSigningOut,
    async refresh() {
      asked++;
      if (status instanceof Error) throw status;
      return status;
    },
    async navigate(path) {
      redirects.push(path);
      await Promise.resolve();
      url = new URL(path, url);
    },
  });
  return { redirects, onSignedOut, asked: () => asked };
}

const SIGN_IN = '/sign-in?next=%2Fsettings%3Fshow%3Dsessions';

test('several simultaneous 401 responses redirect once', async () => {
  const { redirects, onSignedOut, asked } = startOnSettings();
  await Promise.all([onSignedOut(), onSignedOut(), onSignedOut()]);
  expect(redirects).toEqual([SIGN_IN]);
  expect(asked()).toBe(1);
});

test('a 401 response during the redirect changes nothing', async () => {
  const { redirects, onSignedOut } = startOnSettings();
  const first = onSignedOut();
  while (redirects.length === 0) await Promise.resolve();
  await Promise.all([first, onSignedOut()]);
  expect(redirects).toEqual([SIGN_IN]);
});

test('redirects again when the next session ends', async () => {
  const { redirects, onSignedOut } = startOnSettings();
  await onSignedOut();
  await onSignedOut();
  expect(redirects).toHaveLength(2);
});

test('redirects to the set-up when no password is set', async () => {
  const { redirects, onSignedOut } = startOnSettings('set-up');
  await onSignedOut();
  expect(redirects).toEqual(['/set-up']);
});

test.each(['in', 'open'] as const)('does not redirect when the session is %s', async (status) => {
  const { redirects, onSignedOut } = startOnSettings(status);
  await onSignedOut();
  expect(redirects).toEqual([]);
});

test('does not redirect while the service is unreachable', async () => {
  const { redirects, onSignedOut, asked } = startOnSettings(new Error('away'));
  await onSignedOut();
  await onSignedOut();
  expect(redirects).toEqual([]);
  expect(asked()).toBe(2);
});

test('does not redirect during a sign-out', async () => {
  const { redirects, onSignedOut, asked } = startOnSettings('out', { isSigningOut: true });
  await onSignedOut();
  expect(redirects).toEqual([]);
  expect(asked()).toBe(0);
});
