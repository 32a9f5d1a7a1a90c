/** What the comparison of a table has found. */
export interface TableComparison {
  /** Number of rows that were compared. */
  readonly rows: number;
  /** The first differences, one line each. */
  readonly differences: readonly string[];
}
