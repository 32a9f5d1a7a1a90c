/** A backup cannot be made, or a file cannot be restored; the message names the file and says what to do. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
  readonly code = 'BACKUP_REFUSED';
}
