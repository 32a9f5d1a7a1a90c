import {
  measureElement,
  observeWindowOffset,
  observeWindowRect,
  type VirtualItem,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll,
} from '@tanstack/virtual-core';
import { tick, untrack } from 'svelte';
import type { Attachment } from 'svelte/attachments';

/** Rows rendered above and below the visible ones. */
const OVERSCAN = 12;

/** Room for titles that stay at the top of the window. */
const HEADER_PX = 56;

interface VirtualRowsOptions {
  readonly count: () => number;
  /** Stays with a row when others are added before it. */
  readonly keyOf: (index: number) => string | number;
  /** Height of a row in pixels, until rows were measured: then their mean is. */
  readonly estimate: (index: number) => number;
}

/** A row to render, and the room above it that rows which are not rendered take. */
export interface RenderedRow {
  readonly index: number;
  readonly key: string | number;
  readonly room: number;
}

/**
 * Renders of a list that scrolls with the window the rows in view, some around them and the one with the focus. Call it
 * while a component initialises.
 *
 *     <ol {@attach rows.list}>
 *       {#each rows.rendered as { index, key, room } (key)}
 *         {#if room > 0}<li aria-hidden="true" style:height="{room}px"></li>{/if}
 *         <li data-index={index} {@attach rows.measure}>...</li>
 *       {/each}
 *       {#if rows.below > 0}<li aria-hidden="true" style:height="{rows.below}px"></li>{/if}
 *     </ol>
 */
export class VirtualRows {
  readonly #options: VirtualRowsOptions;
  readonly #virtualizer: Virtualizer<Window, HTMLElement>;
  /** Counts the changes that the virtualizer reports. */
  #version = $state(0);
  /** Of the list in the page. */
  #top = $state(0);
  /** Key of the row with the focus: without the row it would be lost. */
  #focused: string | number | undefined;
  /** Of the measured rows. */
  #measured = { count: 0, sum: 0 };

  readonly #items: readonly VirtualItem[];
  readonly rendered: readonly RenderedRow[];
  /** Height of the rows below the last rendered one. */
  readonly below: number;

  constructor(options: VirtualRowsOptions) {
    this.#options = options;
    this.#virtualizer = new Virtualizer<Window, HTMLElement>(this.#virtualizerOptions(0, 0));
    this.#items = $derived.by(() => {
      void this.#version;
      this.#virtualizer.setOptions(this.#virtualizerOptions(options.count(), this.#top));
      return this.#virtualizer.getVirtualItems();
    });
    this.rendered = $derived.by(() => {
      let end = this.#top;
      return this.#items.map(({ index, key, start, end: next }) => {
        const room = start - end;
        end = next;
        return { index, key: key as string | number, room };
      });
    });
    this.below = $derived.by(() => {
      const last = this.#items.at(-1);
      return last ? this.#virtualizer.getTotalSize() + this.#top - last.end : 0;
    });
    $effect(() => this.#virtualizer._didMount());
    $effect(() => {
      void this.#items;
      untrack(() => this.#virtualizer._willUpdate());
    });
  }

  /** The indexes in view, without those around them. */
  get view(): { readonly first: number; readonly last: number } {
    void this.#items;
    const { startIndex = 0, endIndex = 0 } = this.#virtualizer.range ?? {};
    return { first: startIndex, last: endIndex };
  }

  /** Follows where the list begins: what stands above it changes its height. */
  readonly list: Attachment<HTMLElement> = (list) => {
    const locate = () => {
      this.#top = Math.round(list.getBoundingClientRect().top + window.scrollY);
    };
    untrack(locate);
    const observer = new ResizeObserver(locate);
    observer.observe(document.body);
    for (let above: Element | null = list; above && above !== document.body; above = above.parentElement) {
      for (let other = above.previousElementSibling; other; other = other.previousElementSibling)
        observer.observe(other);
    }
    const onfocusin = ({ target }: FocusEvent) => {
      const row = (target as HTMLElement).closest<HTMLElement>('[data-index]');
      this.#focused = row ? this.#options.keyOf(Number(row.dataset.index)) : undefined;
    };
    const onfocusout = () => {
      this.#focused = undefined;
    };
    list.addEventListener('focusin', onfocusin);
    list.addEventListener('focusout', onfocusout);
    return () => {
      observer.disconnect();
      list.removeEventListener('focusin', onfocusin);
      list.removeEventListener('focusout', onfocusout);
    };
  };

  /** Measures a row, which names its index in `data-index`. */
  readonly measure: Attachment<HTMLElement> = (row) => {
    untrack(() => this.#virtualizer.measureElement(row));
  };

  /** Forgets the heights of the rows, because all of them changed. */
  forget(): void {
    this.#virtualizer.measure();
  }

  /** Scrolls as little as needed to show a row. */
  async show(index: number): Promise<void> {
    await tick();
    this.#virtualizer.scrollToIndex(index, { align: 'auto' });
  }

  #virtualizerOptions(count: number, top: number): VirtualizerOptions<Window, HTMLElement> {
    return {
      count,
      scrollMargin: top,
      overscan: OVERSCAN,
      scrollPaddingStart: HEADER_PX,
      getScrollElement: () => window,
      observeElementRect: observeWindowRect,
      observeElementOffset: observeWindowOffset,
      scrollToFn: windowScroll,
      initialOffset: () => window.scrollY,
      initialRect: { width: window.innerWidth, height: window.innerHeight },
      getItemKey: this.#options.keyOf,
      estimateSize: (index) =>
        this.#measured.count === 0
          ? this.#options.estimate(index)
          : Math.round(this.#measured.sum / this.#measured.count),
      measureElement: (row, entry, virtualizer) => {
        const size = measureElement(row, entry, virtualizer);
        this.#measured.count++;
        this.#measured.sum += size;
        return size;
      },
      onChange: () => {
        this.#version++;
      },
      rangeExtractor: ({ startIndex, endIndex }) => {
        const first = Math.max(0, startIndex - OVERSCAN);
        const last = Math.min(count - 1, endIndex + OVERSCAN);
        const indexes = Array.from({ length: last - first + 1 }, (_, step) => first + step);
        const focused = this.#focusedIndex(count);
        if (focused < 0) return indexes;
        // With its neighbours, which the arrow keys lead to.
        const around = [focused - 1, focused, focused + 1].filter((index) => index >= 0 && index < count);
        return [...around.filter((index) => index < first), ...indexes, ...around.filter((index) => index > last)];
      },
    };
  }

  /** @returns -1 when no row has the focus */
  #focusedIndex(count: number): number {
    if (this.#focused === undefined) return -1;
    for (let index = 0; index < count; index++) if (this.#options.keyOf(index) === this.#focused) return index;
    return -1;
  }
}
