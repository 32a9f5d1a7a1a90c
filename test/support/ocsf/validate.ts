import { type Attribute, classes, objects, type SchemaObject } from './schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What an event has that the schema of its class does not allow; empty for a valid one. */
export function ocsfProblems(event: Fields): string[] {
  const found = classes.find(({ uid }) => uid === event.class_uid);
  if (!found) return [`class_uid ${event.class_uid} is not one of a class`];
  const { name, category, activities } = found;
  const activity = activities[event.activity_id as number];
  return [
    ...problemsIn(event, found, ''),
    ...differs('class_name', event.class_name, name),
    ...differs('category_uid', event.category_uid, category.uid),
    ...differs('category_name', event.category_name, category.name),
    ...(activity === undefined ? [`activity_id ${event.activity_id} is not one of ${name}`] : []),
    ...differs('activity_name', event.activity_name, activity),
    ...differs('type_uid', event.type_uid, found.uid * 100 + (event.activity_id as number)),
    ...differs('type_name', event.type_name, `${name}: ${activity}`),
  ];
}

const differs = (name: string, value: unknown, expected: unknown): string[] =>
  value === expected ? [] : [`${name} is ${String(value)}, not ${String(expected)}`];

function problemsIn(value: unknown, { attributes, atLeastOne }: SchemaObject, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is not an object`];
  const fields = value as Fields;
  const known = Object.entries(attributes).flatMap(([name, attribute]) =>
    attributeProblems(fields, name, attribute, `${path}${name}`),
  );
  const unknown = Object.keys(fields).filter((name) => attributes[name] === undefined);
  return [
    ...known,
    ...unknown.map((name) => `${path}${name} is not in the schema`),
    ...(atLeastOne && !atLeastOne.some((name) => fields[name] !== undefined)
      ? [`${path} has none of ${atLeastOne.join(', ')}`]
      : []),
  ];
}

function attributeProblems(fields: Fields, name: string, attribute: Attribute, path: string): string[] {
  const value = fields[name];
  if (value === undefined) return attribute.isRequired ? [`${path} is missing`] : [];
  if (!attribute.isList) return valueProblems(value, attribute, path, fields[name.replace(/_id$/, '')]);
  if (!Array.isArray(value)) return [`${path} is not a list`];
  return value.flatMap((item, index) => valueProblems(item, attribute, `${path}[${index}]`, undefined));
}

function valueProblems(value: unknown, { type, values }: Attribute, path: string, caption: unknown): string[] {
  if (typeof type === 'object') return problemsIn(value, objects[type.object] as SchemaObject, `${path}.`);
  const isRight = {
    string: typeof value === 'string' && value !== '',
    integer: Number.isSafeInteger(value),
    timestamp: Number.isSafeInteger(value),
    boolean: typeof value === 'boolean',
    datetime: typeof value === 'string' && !Number.isNaN(Date.parse(value)),
    any: true,
  }[type];
  if (!isRight) return [`${path} is not of type ${type}`];
  if (!values) return [];
  const expected = values[value as number];
  if (expected === undefined) return [`${path} ${String(value)} is not one of the enumeration`];
  return caption === undefined || caption === expected
    ? []
    : [`${path} ${String(value)} is ${expected}, not ${String(caption)}`];
}
