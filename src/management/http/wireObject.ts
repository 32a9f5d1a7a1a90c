import { z } from 'zod';
import { toSnakeCase } from './toSnakeCase.ts';

/**
 * Creates the schema of a JSON object in a request. Accepts names in snake_case or camelCase and refuses unknown fields
 * (docs/decisions/0046-spelling-of-fields.md). Ignores the fields in `readOnly`, so that clients can send a response back.
 */
export function wireObject<Shape extends z.ZodRawShape>(shape: Shape, readOnly: readonly string[] = []) {
  const known = new Map([...Object.keys(shape), ...readOnly].map((name) => [toSnakeCase(name), name]));
  return z.preprocess((input, { addIssue }) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
    const fields = new Map<string, unknown>();
    for (const [field, value] of Object.entries(input)) {
      const name = known.get(toSnakeCase(field));
      if (name === undefined) addIssue({ code: 'custom', path: [field], message: 'is not a known field' });
      else if (fields.has(name)) addIssue({ code: 'custom', path: [field], message: 'is given twice' });
      else fields.set(name, value);
    }
    for (const name of readOnly) fields.delete(name);
    return Object.fromEntries(fields);
  }, z.object(shape));
}

/** The schema of an array in a request. A longer one is refused before its entries are looked at. */
export const boundedArray = <Item extends z.ZodType>(item: Item, maxLength: number) =>
  z.preprocess((input, { addIssue }) => {
    if (Array.isArray(input) && input.length > maxLength) {
      addIssue({ code: 'custom', message: `must have at most ${maxLength} entries` });
    }
    return input;
  }, z.array(item).max(maxLength));

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

/** What of a value is counted; of a number it is the number itself. */
const COUNTED: Readonly<Record<string, readonly [one: string, more: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

function bound(limit: 'at least' | 'at most', count: number, origin: string): string {
  const [one, more] = COUNTED[origin] ?? [];
  return one === undefined ? `be ${limit} ${count}` : `have ${limit} ${count} ${count === 1 ? one : more}`;
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'must be a time in ISO 8601 with its offset from UTC, such as 2026-11-01T00:00:00Z',
  uuid: 'must be a UUID, such as 019ad0a4-6b6f-7c1e-9b1e-0d6d5d1f8a11',
};

/** A validation issue as the predicate of a sentence whose subject is the field. */
export const issueMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `must ${bound('at least', Number(issue.minimum), issue.origin)}`;
    case 'too_big':
      return `must ${bound('at most', Number(issue.maximum), issue.origin)}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'is not valid';
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`;
    case 'invalid_key':
      // The name of a field of a map, whose own schema says what it must be.
      return issue.issues[0]?.message ?? 'is not valid';
    default:
      return 'is not valid';
  }
};
