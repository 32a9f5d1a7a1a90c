/** The other program's data cannot be taken over as it is; nothing was changed. */
export class CannotImport extends Error {
  override readonly name = 'CannotImport';
}
