import { expect, test } from 'vitest';
import { excludedPlans } from './excludedPlans.ts';
import { initialState, type ModelCatalogue } from './state.ts';

const catalogue = (plans: Record<string, readonly string[]>): ModelCatalogue => ({
  ...initialState,
  plans: new Map(Object.entries(plans).map(([plan, slugs]) => [plan, slugs.map((slug) => ({ slug, version: 'v' }))])),
});
const without = (plans: Record<string, readonly string[]>, model: string) => [
  ...excludedPlans(catalogue(plans), model),
];

test('a plan is without a model that another one lists and it does not', () =>
  expect(without({ free: ['luna'], plus: ['luna', 'sol'], pro: ['sol'] }, 'sol')).toEqual(['free']));

test('no plan is without a model that all of them list', () =>
  expect(without({ free: ['luna'], plus: ['luna'] }, 'luna')).toEqual([]));

test('no plan is without a model that nobody lists: the provider may know it all the same', () =>
  expect(without({ free: ['luna'], plus: ['sol'] }, 'hidden')).toEqual([]));

test('nothing is known of models before there are two lists', () => {
  expect(without({}, 'sol')).toEqual([]);
  expect(without({ free: ['luna'] }, 'sol')).toEqual([]);
});

test('the answer follows the catalogue', () => {
  const before = catalogue({ free: ['luna'], plus: ['sol'] });
  expect(excludedPlans(before, 'sol')).toBe(excludedPlans(before, 'sol'));
  expect([...excludedPlans(before, 'sol')]).toEqual(['free']);
  expect([
    ...excludedPlans(
      { ...before, plans: new Map([...before.plans, ['free', [{ slug: 'sol', version: 'v' }]]]) },
      'sol',
    ),
  ]).toEqual([]);
});
