import { ApiError } from '../api/apiError.ts';
import { toasts } from './toasts.svelte.ts';

/** Longer than the first view takes over a slow line: before that, these files would only delay it. */
const FIRST_VIEW_MS = 3_000;

type Load = () => Promise<unknown>;
const loads = new Set<Load>();
let isFirstViewOver = false;

/**
 * What a page can be shown without, such as dialogs and what places popups: loaded when it is first needed, or once the browser has
 * nothing else to do after the first view. A notification says when it could not be loaded; the next call tries again.
 */
export function late<Module>(load: () => Promise<Module>): () => Promise<Module> {
  loads.add(load);
  if (isFirstViewOver) void loadWhenIdle(load);
  return async () => {
    showsLoading(1);
    try {
      return await load();
    } catch (error) {
      toasts.bad('Couldn’t load this part of the page', new ApiError(0, 'part_not_loaded', String(error)));
      throw error;
    } finally {
      showsLoading(-1);
    }
  };
}

/** Parts that were needed and are on their way. */
let awaited = 0;

/** The pointer shows that something is on its way: see app.css. */
function showsLoading(more: 1 | -1): void {
  awaited += more;
  document.documentElement.toggleAttribute('data-loading', awaited > 0);
}

/** Called once the first page is there. Loads one by one what it was shown without. */
export async function loadAfterFirstView(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, FIRST_VIEW_MS));
  isFirstViewOver = true;
  for (const load of loads) await loadWhenIdle(load);
}

/** Failures are reported by the press that needs it. */
async function loadWhenIdle(load: Load): Promise<void> {
  // Safari has no requestIdleCallback.
  await new Promise<unknown>((resolve) => (window.requestIdleCallback ?? setTimeout)(resolve));
  await load().catch(() => {});
}
