/** Whether the command palette is open. */
export const palette = $state({ isOpen: false });
