import { isTyping } from '../past/past.svelte.ts';

/** Open state of the command palette, and its keyboard shortcuts. */
class Palette {
  isOpen = $state(false);

  readonly onkeydown = (event: KeyboardEvent): void => {
    if (event.altKey) return;
    const withControl = event.metaKey || event.ctrlKey;
    if (event.key.toLowerCase() === 'k' && withControl && !event.shiftKey) this.isOpen = !this.isOpen;
    else if (event.key === '/' && !withControl && !isTyping(event.target)) this.#search();
    else return;
    event.preventDefault();
  };

  /** Focuses the search field of the page; a page without one has the palette. Not behind an open dialog. */
  #search(): void {
    if (document.querySelector('[role=dialog]:not([aria-modal=false]), [role=alertdialog]')) return;
    const field = document.querySelector<HTMLInputElement>('main input[type=search]');
    if (field) field.focus();
    else this.isOpen = true;
  }
}

export const palette = new Palette();
