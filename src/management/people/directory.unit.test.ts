import { expect, test } from 'vitest';
import type { Instant, Sealed } from '../../domain/core/brands.ts';
import { NO_PASSKEYS } from '../../domain/operator/passkeys.ts';
import { initialState, type Operator, type Operators } from '../../domain/operator/state.ts';
import { CannotUnseal } from '../../vault/vault.ts';
import { createDirectory } from './directory.ts';

const operator = (id: string, changes: Partial<Operator> = {}): Operator => ({
  id,
  name: `sealed.${id}` as Sealed,
  email: `sealed.${id}@example.com` as Sealed,
  role: 'member',
  invitedAt: 1 as Instant,
  acceptedAt: 2 as Instant,
  isDisabled: false,
  removedAt: null,
  invitation: null,
  password: null,
  identity: null,
  isByRule: false,
  totp: null,
  recoveryCodes: { unused: 0, secret: [] },
  passkeys: NO_PASSKEYS,
  ...changes,
});
const stateOf = (...operators: Operator[]): Operators => ({
  ...initialState,
  byId: new Map(operators.map((each) => [each.id, each])),
});

/** A directory over a vault that counts what it opens, and lacks the keys of `closed`. */
function stage(...operators: Operator[]) {
  const current = { operators: stateOf(...operators), opened: 0, closed: new Set<string>() };
  const open = (sealed: Sealed) => {
    current.opened += 1;
    if (current.closed.has(sealed)) throw new CannotUnseal('no key');
    return sealed.slice('sealed.'.length);
  };
  const state = () => ({ operators: current.operators, managementTokens: new Map() });
  return { current, directory: createDirectory({ vault: { open }, state }) };
}

test('opens each name and address once, however often it is asked', () => {
  const people = Array.from({ length: 1_000 }, (_, index) => operator(`person${index}`));
  const { current, directory } = stage(...people);
  for (const login of ['person0', 'person999', 'PERSON999@example.com', 'nobody', '']) directory.find(login);
  expect(current.opened).toBe(2_000);
  current.operators = stateOf(...people, operator('new'));
  expect(directory.find('new')?.id).toBe('new');
  expect(current.opened).toBe(2_002);
});

test('finds active operators only, and compares with every one that was not removed', () => {
  const { directory } = stage(
    operator('ada', { acceptedAt: null }),
    operator('bob', { isDisabled: true }),
    operator('eve', { removedAt: 3 as Instant }),
    operator('joe'),
  );
  expect(['ada', 'bob', 'eve', 'joe'].map((login) => directory.find(login)?.id)).toEqual([
    undefined,
    undefined,
    undefined,
    'joe',
  ]);
  const taken = (name: string) => directory.compare({ name, email: 'new@example.com' }).taken;
  expect(['ada', 'bob', 'eve', 'joe'].map(taken)).toEqual(['name', 'name', undefined, 'name']);
  expect(directory.compare({ name: 'joe', email: 'joe@example.com' }, 'joe')).toEqual({
    taken: undefined,
    compared: ['ada', 'bob', 'joe'],
  });
});

test('finds an operator whose data key arrives after the event', () => {
  const { current, directory } = stage(operator('ada'));
  current.closed.add('sealed.ada').add('sealed.ada@example.com');
  expect(directory.find('ada')).toBeUndefined();
  current.closed.clear();
  expect(directory.find('ada')?.id).toBe('ada');
});

test('finds no operator by the name of a forgotten person', () => {
  const { current, directory } = stage(operator('ada'));
  expect(directory.find('ada')?.id).toBe('ada');
  current.operators = stateOf(operator('ada', { name: null, email: null, removedAt: 3 as Instant }));
  expect(directory.find('ada')).toBeUndefined();
});
