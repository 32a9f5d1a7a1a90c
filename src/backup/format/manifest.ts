import { z } from 'zod';

/** A place in a log: its last event up to there. Position 0 and an empty id for a log without events. */
const logPlace = z.strictObject({
  position: z.int().min(0),
  /** Id of the event. */
  id: z.string(),
  /** Milliseconds since 1970. */
  time: z.int(),
});
export type LogPlace = Readonly<z.infer<typeof logPlace>>;

/** The first record of a backup: what it is of, and what it follows. */
export const manifestSchema = z.strictObject({
  /** Random, 32 hex digits. */
  id: z.string().regex(/^[0-9a-f]{32}$/),
  /** ISO 8601. */
  madeAt: z.iso.datetime(),
  /** Version of the svc that made it. */
  svc: z.string(),
  store: z.enum(['embedded', 'eventstore']),
  node: z.string(),
  /** Up to where the backup has the events; with EventStoreDB, how far this node had read them. */
  upTo: logPlace,
  /** The backup that this one continues; null for one that has everything. */
  since: z.strictObject({ backup: z.string(), upTo: logPlace }).nullable(),
  /** The segments of `archive.sqlite` whose events are no longer in the log. */
  archived: z.array(z.int()),
});
export type Manifest = Readonly<z.infer<typeof manifestSchema>>;

/** Files that are copied as they are. */
export const COPIED_FILES = [
  'node-id',
  'master.key',
  'checkpoint.key',
  'checkpoint.pub',
  'settings.env',
  'prices.json',
] as const;
export type CopiedFile = (typeof COPIED_FILES)[number];

/** SQLite files whose rows are copied. */
export const COPIED_DATABASES = [
  'vault.sqlite',
  'checkpoints.sqlite',
  'archive.sqlite',
  'outbox.sqlite',
  'log.sqlite',
] as const;
export type CopiedDatabase = (typeof COPIED_DATABASES)[number];

/** A value of SQLite in JSON. */
export type StoredValue = null | number | string | { readonly base64: string };

/** A line of a backup. Rows belong to the table that was named last. */
export type BackupRecord =
  | { readonly manifest: Manifest }
  | { readonly file: CopiedFile; readonly base64: string }
  | { readonly table: string; readonly of: CopiedDatabase; readonly columns: readonly string[] }
  | readonly StoredValue[]
  | { readonly end: { readonly records: number } };
