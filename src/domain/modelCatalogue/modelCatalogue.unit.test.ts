import { expect, test } from 'vitest';
import { at, later, NOW, specification } from '../../../test/support/specification.ts';
import { jsonBytes } from '../core/parts.ts';
import { modelCatalogue } from './decide.ts';
import { ModelDescribed, ModelsListed } from './events.ts';

const catalogue = specification(modelCatalogue);

const sol = { slug: 'sol', version: 'v1', entry: '{"slug":"sol"}' };
const luna = { slug: 'luna', version: 'v2', entry: '{"slug":"luna"}' };
const newSol = { slug: 'sol', version: 'v3', entry: '{"slug":"sol","x":1}' };
const listed = ({ slug, version }: typeof sol) => ({ slug, version });
const observe = (planType: string, ...models: (typeof sol)[]) => ({ type: 'ObserveModels', planType, models }) as const;

const known = [
  ModelDescribed(sol),
  ModelDescribed(luna),
  ModelsListed({ planType: 'plus', from: [], to: [listed(sol), listed(luna)] }),
];

test('describes each model before the first list of a plan', () =>
  catalogue.when(observe('plus', sol, luna)).then(...known));

test('stores a description that is larger than an event in parts', () => {
  const large = { slug: 'large', version: 'v9', entry: `{"slug":"large","text":"${'"\\n'.repeat(30_000)}"}` };
  const asked = catalogue.when(observe('plus', large, luna));
  const events = asked.events();
  expect(events.map(({ type }) => type)).toEqual([
    ...Array(4).fill('ModelDescribed'),
    'ModelDescribed',
    'ModelsListed',
  ]);
  for (const event of events) expect(jsonBytes(event)).toBeLessThan(50_000);
  expect(asked.state().entries.get('v9')).toBe(large.entry);
  catalogue
    .given(...events)
    .when(observe('plus', large, luna))
    .then();
});

test('takes several commands for descriptions that are larger than an append', () => {
  const many = Array.from({ length: 10 }, (_, index) => ({
    slug: `m${index}`,
    version: `v${index}`,
    entry: 'x'.repeat(100_000),
  }));
  const first = catalogue.when(observe('plus', ...many)).events();
  expect(jsonBytes(first)).toBeLessThan(600_000);
  const second = catalogue
    .given(...first)
    .when(observe('plus', ...many))
    .events();
  expect([first.at(-1)?.type, second.at(-1)?.type]).toEqual(['ModelDescribed', 'ModelsListed']);
  const state = catalogue.given(...first, ...second).state();
  expect([...state.entries.values()].map(({ length }) => length)).toEqual(Array(10).fill(100_000));
});

test('stores a list that is larger than an event in parts', () => {
  const named = (start: string) =>
    Array.from({ length: 500 }, (_, index) => ({
      slug: `${start}${index}`.padEnd(200, 'x'),
      version: `${start}v${index}`,
      entry: '{}',
    }));
  const [before, after] = [named('a'), named('b')];
  const first = catalogue.when(observe('plus', ...before)).events();
  const asked = catalogue.given(...first).when(observe('plus', ...after));
  expect(asked.events().filter(({ type }) => type === 'ModelsListed').length).toBeGreaterThan(3);
  for (const event of asked.events()) expect(jsonBytes(event)).toBeLessThan(50_000);
  expect(asked.state().plans.get('plus')).toEqual(after.map(listed));
  expect(asked.state().entries.size).toBe(500);
});

test('does not record an unchanged list', () =>
  catalogue
    .given(...known)
    .when(observe('plus', sol, luna))
    .then());

test('stores a description shared by plans once', () =>
  catalogue
    .given(...known)
    .when(observe('pro', luna))
    .then(ModelsListed({ planType: 'pro', from: [], to: [listed(luna)] })));

test('records only changed descriptions', () =>
  catalogue
    .given(...known)
    .when(observe('plus', newSol, luna))
    .then(
      ModelDescribed(newSol),
      ModelsListed({ planType: 'plus', from: [listed(sol), listed(luna)], to: [listed(newSol), listed(luna)] }),
    ));

test('records a list in another order', () =>
  catalogue
    .given(...known)
    .when(observe('plus', luna, sol))
    .then(ModelsListed({ planType: 'plus', from: [listed(sol), listed(luna)], to: [listed(luna), listed(sol)] })));

test('drops unlisted descriptions, but keeps the first-seen times', () => {
  const first = known.map((event) => at(NOW, event));
  const gone = at(later(1), ModelsListed({ planType: 'plus', from: [listed(sol), listed(luna)], to: [listed(luna)] }));
  const state = catalogue.given(...first, gone).state();
  expect([...state.entries]).toEqual([['v2', luna.entry]]);
  expect(Object.fromEntries(state.firstSeen)).toEqual({ sol: NOW, luna: NOW });
  const again = catalogue.given(...first, gone).when(observe('plus', sol, luna), { now: later(2) });
  again.then(
    ModelDescribed(sol),
    ModelsListed({ planType: 'plus', from: [listed(luna)], to: [listed(sol), listed(luna)] }),
  );
  expect(again.state().firstSeen.get('sol')).toBe(NOW);
});
