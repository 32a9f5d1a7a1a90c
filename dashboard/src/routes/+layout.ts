// A single-page application: the service does not render, and all content requires a sign-in.
export const ssr = false;
export const prerender = false;
