/** The server is too old to be used. */
export class ServerTooOld extends Error {
  override readonly name = 'ServerTooOld';
  readonly code = 'SERVER_TOO_OLD';
  constructor(version: string) {
    super(
      `EventStoreDB ${version} is too old: svc needs 24.2 or later, because older versions drop slow readers. ` +
        'Upgrade to 24.10.5 or later.',
    );
  }
}

const MIN_VERSION = [24, 2] as const;

/** @throws ServerTooOld for a version before 24.2. A version in an unknown format is accepted. */
export function refuseOldServer(version: string): void {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined || minor === undefined) return;
  const isOlder =
    Number(major) < MIN_VERSION[0] || (Number(major) === MIN_VERSION[0] && Number(minor) < MIN_VERSION[1]);
  if (isOlder) throw new ServerTooOld(version);
}
