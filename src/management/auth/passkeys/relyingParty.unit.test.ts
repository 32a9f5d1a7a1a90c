import { expect, test } from 'vitest';
import { relyingPartyOf } from './relyingParty.ts';

test.each([
  ['https://svc.example.com', 'svc.example.com', 'https://svc.example.com'],
  ['https://svc.example.com:8443/base/', 'svc.example.com', 'https://svc.example.com:8443'],
  ['https://SVC.Example.com', 'svc.example.com', 'https://svc.example.com'],
  ['https://gateway', 'gateway', 'https://gateway'],
  ['http://localhost:2455', 'localhost', 'http://localhost:2455'],
  ['http://svc.localhost', 'svc.localhost', 'http://svc.localhost'],
  // What svc listens on without SVC_PUBLIC_URL: browsers give passkeys to the name of this machine, not to its address.
  ['http://127.0.0.1:2455', 'localhost', 'http://localhost:2455'],
  ['http://[::1]:2455', 'localhost', 'http://localhost:2455'],
])('takes host and origin from %s', (url, id, origin) => expect(relyingPartyOf(url)).toEqual({ id, origin }));

test.each([
  ['http://svc.example.com', 'over HTTPS only'],
  ['http://10.0.0.7:2455', 'need a host name'],
  ['https://10.0.0.7', 'need a host name'],
  ['https://[2001:db8::7]', 'need a host name'],
  ['http://0.0.0.0:2455', 'need a host name'],
])('finds no relying party in %s, and says what to set', (url, problem) => {
  const found = relyingPartyOf(url) as { problem: string };
  expect(found.problem).toContain(problem);
  expect(found.problem).toContain('set SVC_PUBLIC_URL to the HTTPS address');
});
