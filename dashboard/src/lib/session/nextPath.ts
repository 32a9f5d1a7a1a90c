/** Where to sign in, coming back to a path of this site. */
export const signInPath = (from: { pathname: string; search: string }): string => {
  const here = from.pathname + from.search;
  return here === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(here)}`;
};

/** Where to go after signing in: only ever to this site. */
export function nextPath(search: Pick<URLSearchParams, 'get'>): string {
  const next = search.get('next') ?? '/';
  const isOurs = /^\/(?![/\\])/.test(next) && !/^\/(sign-in|set-up)(\/|\?|$)/.test(next);
  return isOurs ? next : '/';
}
