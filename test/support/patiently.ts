/** How `vi.waitUntil` waits: its own second is over at once where four files share two cores. In milliseconds. */
export const patiently = { timeout: 10_000, interval: 10 };
