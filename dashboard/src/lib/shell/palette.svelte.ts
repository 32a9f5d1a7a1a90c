/** Open state of the command palette, and its keyboard shortcut. */
class Palette {
  #isOpen = $state(false);
  /** The component is loaded when it is first opened. */
  wasOpened = $state(false);

  get isOpen(): boolean {
    return this.#isOpen;
  }

  set isOpen(is: boolean) {
    this.#isOpen = is;
    if (is) this.wasOpened = true;
  }

  readonly onkeydown = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    this.isOpen = !this.isOpen;
  };
}

export const palette = new Palette();
