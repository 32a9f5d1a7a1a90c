import { isTyping } from '../past/past.svelte.ts';

/** Open state of the list of keys. */
class KeyHelp {
  isOpen = $state(false);

  readonly onkeydown = (event: KeyboardEvent): void => {
    if (event.key !== '?' || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    event.preventDefault();
    this.isOpen = true;
  };
}

export const keyHelp = new KeyHelp();
