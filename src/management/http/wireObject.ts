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

/** A validation issue as the predicate of a sentence whose subject is the field. */
export const issueMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `must be at least ${String(issue.minimum)}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${String(issue.maximum)} characters`
        : `must be at most ${String(issue.maximum)}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`;
    default:
      return 'is not valid';
  }
};
