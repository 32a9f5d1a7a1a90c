/** The server is too old to be used. */
export class ServerTooOld extends Error {
  override readonly name = 'ServerTooOld';
  readonly code = 'SERVER_TOO_OLD';
  constructor(version: string) {
    super(
      `EventStoreDB ${version} is too old: svc needs 24.2 or later, since earlier ones drop readers that fall behind. ` +
        'Take 24.10.5 or later.',
    );
  }
}

const OLDEST = [24, 2] as const;

/** @throws ServerTooOld for a version before 24.2; one that cannot be read is taken for a new one */
export function refuseOldServer(version: string): void {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined) return;
  const isOlder = Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]);
  if (isOlder) throw new ServerTooOld(version);
}
