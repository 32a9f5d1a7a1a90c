/** The read models could not answer. */
export class ReadModelUnavailable extends Error {
  override readonly name = 'ReadModelUnavailable';
}
