/** The folder cannot be used; the message says why and what to do. */
export class CannotUseDataFolder extends Error {
  override readonly name = 'CannotUseDataFolder';
  readonly code = 'CANNOT_USE_DATA_FOLDER';
}
