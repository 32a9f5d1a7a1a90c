/** This page has a time control of its own, for the state of one resource. */
export const AS_OF_PAGE = '/history/as-of';

/** The part of a URL that says what its page shows. */
interface ReadonlyUrl {
  readonly pathname: string;
  readonly searchParams: Pick<URLSearchParams, 'get'>;
}

/**
 * The moment in a URL that its page shows: a position of the log or a time; null: now. Kept in the URL, so that it survives
 * a reload and can be shared.
 */
export const atOfUrl = ({ pathname, searchParams }: ReadonlyUrl): string | null =>
  pathname === AS_OF_PAGE ? null : searchParams.get('at') || null;

/** The URL to go to instead, so that a page that is left in the past leads to a page in the past; undefined: as it is. */
export function urlKeepingAt(from: URL, to: URL): URL | undefined {
  const at = atOfUrl(from);
  if (at === null || to.searchParams.has('at') || to.origin !== from.origin || to.pathname === AS_OF_PAGE)
    return undefined;
  const kept = new URL(to);
  kept.searchParams.set('at', at);
  return kept;
}
