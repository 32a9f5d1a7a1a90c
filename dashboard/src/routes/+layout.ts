// One page for all paths: the service has no renderer, and nothing is to be seen without signing in.
export const ssr = false;
export const prerender = false;
