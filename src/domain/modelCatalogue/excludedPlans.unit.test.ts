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

test('excludes a plan that does not list a model that another one lists', () =>
  expect(without({ free: ['luna'], plus: ['luna', 'sol'], pro: ['sol'] }, 'sol')).toEqual(['free']));

test('excludes no plan from a model that all list', () =>
  expect(without({ free: ['luna'], plus: ['luna'] }, 'luna')).toEqual([]));

test('excludes no plan from a model that none lists', () =>
  expect(without({ free: ['luna'], plus: ['sol'] }, 'hidden')).toEqual([]));

test('excludes no plan before there are two lists', () => {
  expect(without({}, 'sol')).toEqual([]);
  expect(without({ free: ['luna'] }, 'sol')).toEqual([]);
});

test('follows changes of the catalogue', () => {
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
