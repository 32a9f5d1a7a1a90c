import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Counters, OTHER } from './counters.ts';

const create = () => new Counters('svc_things_total', 'Things.', ['kind', 'size', 'end']);

test('counts each combination of values by itself, as joined values would', () => {
  const value = fc.constantFrom('a', 'b', 'a\nb', '', OTHER);
  const step = fc.tuple(fc.nat(5), fc.tuple(value, value, value));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const counters = create();
      const expected = new Map<string, number>();
      for (const [amount, values] of steps) {
        counters.addMany(amount, ...values);
        const key = JSON.stringify(values);
        expected.set(key, (expected.get(key) ?? 0) + amount);
      }
      const counted = [...counters.samples()].map(({ labels, value }) => [
        JSON.stringify([labels.kind, labels.size, labels.end]),
        value,
      ]);
      expect(counted).toEqual([...expected]);
    }),
  );
});

test('counts as "other" what is beyond the five thousandth combination, and the others on', () => {
  const counters = create();
  for (let size = 0; size < 5_003; size += 1) counters.add('kind', String(size), 'end');
  counters.add('kind', '7', 'end');
  counters.add(OTHER, OTHER, OTHER);
  const samples = [...counters.samples()];
  expect(samples).toHaveLength(5_001);
  expect(samples[7]).toEqual({ labels: { kind: 'kind', size: '7', end: 'end' }, value: 2 });
  expect(samples.at(-1)).toEqual({ labels: { kind: OTHER, size: OTHER, end: OTHER }, value: 4 });
});
