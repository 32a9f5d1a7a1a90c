/** Total time that a request waits while every account cools down (docs/decisions/0020-cool-downs.md). */
export const MAX_WAITING_MS = 5_000;
