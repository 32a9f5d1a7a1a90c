const KEY = 'svc-panel-width';
const USUAL_PX = 544;
const MIN_PX = 352;
/** What remains for navigation and list. */
const BESIDE_PX = 600;

/** The width of the panel beside a list, which this browser remembers. */
class PanelWidth {
  #chosen = $state(stored());

  /** The widths that a window has room for, in pixels. */
  boundsIn(windowWidth: number): { readonly min: number; readonly max: number } {
    return { min: MIN_PX, max: Math.max(MIN_PX, windowWidth - BESIDE_PX) };
  }

  /** The width in a window, in pixels. */
  in(windowWidth: number): number {
    const { min, max } = this.boundsIn(windowWidth);
    return Math.round(Math.min(max, Math.max(min, this.#chosen)));
  }

  choose(px: number): void {
    this.#chosen = Math.round(px);
    try {
      localStorage.setItem(KEY, String(this.#chosen));
    } catch {
      // Without storage the width holds until the page is left.
    }
  }

  reset(): void {
    this.choose(USUAL_PX);
  }
}

function stored(): number {
  try {
    return Number(localStorage.getItem(KEY)) || USUAL_PX;
  } catch {
    return USUAL_PX;
  }
}

export const panelWidth = new PanelWidth();
