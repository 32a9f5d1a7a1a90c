/** A table of the read models, as a comparison reads it. */
export interface ComparedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns as SQL expressions: blobs as hexadecimal text. */
  readonly selected: readonly string[];
  /** Indexes of the primary key's columns, in key order. */
  readonly key: readonly number[];
  /** The text index whose terms these are; undefined for a table of its own. */
  readonly indexed?: string;
}
