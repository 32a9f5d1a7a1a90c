import type { Schemas } from '#lib/api/client.ts';
import { fieldLabel } from './labels.ts';

export type BlamedField = Schemas['BlamedField'];

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The names in a JSON Pointer. */
const namesOf = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));

/** `/limits/1/max_value` is "Limit 1, max value". */
export function blamedLabel({ path }: Pick<BlamedField, 'path'>): string {
  const [first = '', ...others] = namesOf(path).map(camelCase);
  return fieldLabel([first === 'limits' ? 'rules' : first, ...others]);
}

/** Fields that are never edited: ids, and what limits count. */
const LEFT_OUT = /(^|\/)(id|account_id|key_prefix|created_at|reset_at|current_value|reserved_value)$/;

/** The fields that events of the resource set, as an editor shows them: those that were changed last come first. */
export const editedFields = (fields: readonly BlamedField[]): BlamedField[] =>
  fields
    .filter(({ path, source }) => source === 'event' && !LEFT_OUT.test(path))
    .toSorted((a, b) => (b.position ?? 0) - (a.position ?? 0));
