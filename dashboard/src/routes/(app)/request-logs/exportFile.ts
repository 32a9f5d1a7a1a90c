import { csvRow } from '#lib/format/csv.ts';
import type { FilterNames } from './logFilter.ts';
import type { Entry } from './logRows.ts';

type Value = string | number | null;
type Column = readonly [title: string, value: (entry: Entry, names: FilterNames) => Value];

/** Fields of the API by their names there. */
const fields = (...names: readonly Exclude<keyof Entry, 'attempted_account_ids' | 'forgotten'>[]): Column[] =>
  names.map((name) => [name, (entry) => entry[name]]);

const named =
  (field: 'account_id' | 'api_key_id' | 'owner' | 'team', nameOf: keyof FilterNames): Column[1] =>
  (entry, names) => {
    const id = entry[field];
    return id === null ? null : (names[nameOf](id) ?? id);
  };

/** The columns of a CSV file: ids, and beside them what people call them. */
const COLUMNS: readonly Column[] = [
  ...fields('requested_at', 'request_id', 'status', 'error_code', 'error_message', 'route', 'transport'),
  ...fields('model', 'reasoning_effort', 'account_id'),
  ['account', named('account_id', 'account')],
  ...fields('api_key_id'),
  ['api_key', named('api_key_id', 'key')],
  ...fields('owner'),
  ['owner_name', named('owner', 'person')],
  ...fields('team'),
  ['team_name', named('team', 'team')],
  ...fields('client', 'client_version', 'originator'),
  ...fields('input_tokens', 'cached_input_tokens', 'output_tokens', 'reasoning_tokens', 'tokens', 'cost_usd'),
  ...fields('latency_ms', 'first_byte_ms', 'attempts', 'position'),
];

export type Format = 'csv' | 'json';

export interface Writer {
  readonly begin: string;
  /** @param isFirst whether these are the first rows of the file */
  rows(entries: readonly Entry[], isFirst: boolean): string;
  readonly end: string;
  readonly type: string;
}

/** Writes rows in parts, so that the file never exists as one string. @param names for CSV; JSON has what the API has */
export const writersWith = (names: FilterNames): Readonly<Record<Format, Writer>> => ({
  csv: {
    // Spreadsheets recognise UTF-8 only by the byte order mark.
    begin: `\u{feff}${csvRow(COLUMNS.map(([title]) => title))}`,
    rows: (entries) => entries.map((entry) => csvRow(COLUMNS.map(([, value]) => value(entry, names)))).join(''),
    end: '',
    type: 'text/csv;charset=utf-8',
  },
  json: {
    begin: '[\n',
    rows: (entries, isFirst) =>
      entries.map((entry, index) => `${isFirst && index === 0 ? '' : ',\n'}${JSON.stringify(entry)}`).join(''),
    end: '\n]\n',
    type: 'application/json',
  },
});

/** e.g. `svc-requests-2026-11-21T22-40.csv` */
export const fileName = (format: Format, now: number): string =>
  `svc-requests-${new Date(now).toISOString().slice(0, 16).replace(':', '-')}.${format}`;
