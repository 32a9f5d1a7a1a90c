import { expect, test } from 'vitest';
import { at, later, NOW, specification } from '../../../test/support/specification.ts';
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
