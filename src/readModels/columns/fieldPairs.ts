import { type Grouping, groupings } from '../../../projections/figures.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';

/** The column whose ids say what a request has in a field. */
export const COLUMN_OF = {
  account: 'kindId',
  model: 'kindId',
  effort: 'kindId',
  status: 'kindId',
  key: 'sourceId',
  owner: 'sourceId',
  team: 'sourceId',
  error: 'sourceId',
  transport: 'sourceId',
  client: 'clientId',
} as const satisfies Record<Grouping, 'kindId' | 'sourceId' | 'clientId'>;
export type IdColumn = (typeof COLUMN_OF)[Grouping];

/** The list of a filter that has the wanted values of a field. */
export const LIST_OF = {
  account: 'accountIds',
  model: 'models',
  effort: 'efforts',
  status: 'statuses',
  key: 'apiKeyIds',
  owner: 'owners',
  team: 'teams',
  error: 'errorCodes',
  transport: 'transports',
  client: 'clients',
} as const satisfies Record<Grouping, keyof RequestLogFilter>;

export type FieldPair = readonly [first: Grouping, second: Grouping];

/** Every two fields. Tables number them by their place here. */
export const FIELD_PAIRS: readonly FieldPair[] = groupings.flatMap((first, index) =>
  groupings.slice(index + 1).map((second): FieldPair => [first, second]),
);

/** The number of the pair that has these fields, of which there may be one; undefined for more than two. */
export function pairNumberOf(fields: readonly Grouping[]): number | undefined {
  const number = FIELD_PAIRS.findIndex((pair) => fields.every((field) => pair.includes(field)));
  return number < 0 ? undefined : number;
}

/** The fields that a filter has conditions on; undefined when it has others as well. */
export function fieldsOf(filter: RequestLogFilter): Grouping[] | undefined {
  const lists = Object.keys(filter).filter((name) => filter[name as keyof RequestLogFilter] !== undefined);
  const fields = groupings.filter((field) => lists.includes(LIST_OF[field]));
  return fields.length === lists.length ? fields : undefined;
}
