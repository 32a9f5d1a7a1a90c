/** Path of the sign-in page that returns to `from` afterwards. */
export const signInPath = (from: { pathname: string; search: string }): string => {
  const path = from.pathname + from.search;
  return path === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(path)}`;
};

/** Path to open after the sign-in; other origins are refused. */
export function nextPath(search: Pick<URLSearchParams, 'get'>): string {
  const next = search.get('next') ?? '/';
  const isLocal = /^\/(?![/\\])/.test(next) && !/^\/(sign-in|set-up)(\/|\?|$)/.test(next);
  return isLocal ? next : '/';
}
