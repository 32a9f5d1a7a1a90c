/** This process cannot go on with its mirror; the next start can. The message says why. */
export class MirrorUnusable extends Error {
  override readonly name = 'MirrorUnusable';
  readonly code = 'MIRROR_UNUSABLE';
}
