/** Options for `vi.waitUntil`, in milliseconds: its default of one second is too short when four files share two cores. */
export const waitOptions = { timeout: 10_000, interval: 10 };
