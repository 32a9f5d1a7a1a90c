/** The read models cannot run a query. */
export class ReadModelUnavailable extends Error {
  override readonly name = 'ReadModelUnavailable';
}
