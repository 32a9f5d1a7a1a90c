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

test('the first list of a plan describes each of its models before it names them', () =>
  catalogue.when(observe('plus', sol, luna)).then(...known));

test('a list that says nothing new is not kept', () =>
  catalogue
    .given(...known)
    .when(observe('plus', sol, luna))
    .then());

test('a description that a plan shares with another is kept once', () =>
  catalogue
    .given(...known)
    .when(observe('pro', luna))
    .then(ModelsListed({ planType: 'pro', from: [], to: [listed(luna)] })));

test('a description that changed is kept beside those that did not', () =>
  catalogue
    .given(...known)
    .when(observe('plus', newSol, luna))
    .then(
      ModelDescribed(newSol),
      ModelsListed({ planType: 'plus', from: [listed(sol), listed(luna)], to: [listed(newSol), listed(luna)] }),
    ));

test('another order is another list', () =>
  catalogue
    .given(...known)
    .when(observe('plus', luna, sol))
    .then(ModelsListed({ planType: 'plus', from: [listed(sol), listed(luna)], to: [listed(luna), listed(sol)] })));

test('descriptions that no plan lists any more are forgotten, but not when a model was first seen', () => {
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
