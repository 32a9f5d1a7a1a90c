import fc from 'fast-check';
import type { JsonShape, ObjectShape } from '../../src/eventLog/storedJson/jsonShape.ts';

interface RandomObjectOptions {
  /** Paths of optional fields that are left out, e.g. `attempts.code`. */
  readonly omitted?: readonly string[];
  readonly text?: fc.Arbitrary<string>;
}

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(',"status":"', '"},"startedAt":', '{', '}', '"', '\\', 'null', 'é', '\u{1F600}', '\ud83d'),
);

/** Random data that a schema of this shape accepts, with its fields in order. */
export function anyObject(
  { fields }: ObjectShape,
  options: RandomObjectOptions = {},
  prefix = '',
): fc.Arbitrary<Record<string, unknown>> {
  const used = fields.filter(({ name }) => !options.omitted?.includes(prefix + name));
  const arbitraries = used.map(({ name, shape }) => [name, anyValue(shape, options, prefix + name)] as const);
  return fc.record(Object.fromEntries(arbitraries), {
    requiredKeys: used.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
    noNullPrototype: true,
  });
}

function anyValue(shape: JsonShape, options: RandomObjectOptions, path: string): fc.Arbitrary<unknown> {
  const inner = (value: JsonShape) => anyValue(value, options, path);
  switch (shape.kind) {
    case 'text':
      return shape.format === 'uuid'
        ? fc.uuid()
        : (options.text ?? anyText)
            .filter(({ length }) => length >= shape.minLength)
            .map((text) => (shape.prefix ?? '') + text);
    case 'integer':
      return fc.oneof(
        fc.integer({ min: Math.max(-9, shape.min ?? -9), max: 9 }),
        fc.integer({ min: Math.max(0, shape.min ?? 0), max: Number.MAX_SAFE_INTEGER }),
      );
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'map':
      return fc.dictionary(fc.string(), inner(shape.value));
    case 'boolean':
      return fc.boolean();
    case 'literal':
      return fc.constant(shape.value);
    case 'nullable':
      return fc.option(inner(shape.inner), { nil: null });
    case 'list':
      return fc.array(inner(shape.item), { maxLength: 4 });
    case 'tuple':
      return fc.tuple(...shape.items.map(inner));
    case 'object':
      return anyObject(shape, options, `${path}.`);
  }
}
