/** What a list or a chart was set to show, under a name. */
export interface SavedView {
  readonly name: string;
  /** The query of its URL, without `?`. */
  readonly query: string;
}

export const MAX_NAME = 60;
export const MAX_VIEWS = 50;

/** Part of a URL that says what is opened, or at which moment: a view is neither. */
const NOT_OF_VIEW = ['request', 'at'];

/** The query of a view, the same for every order in which it was put together. */
export function viewQueryOf(query: Iterable<[string, string]>): string {
  const kept = new URLSearchParams([...query].filter(([name]) => !NOT_OF_VIEW.includes(name)));
  kept.sort();
  return kept.toString();
}

/** Adds a view, or replaces the one of the same name; the views are in the order of their names. */
export const withView = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view].sort((a, b) => a.name.localeCompare(b.name));

/** Why a view cannot be saved under this name; undefined when it can. */
export function nameProblem(views: readonly SavedView[], name: string): string | undefined {
  if (name.length > MAX_NAME) return `A name has at most ${MAX_NAME} characters.`;
  if (views.length >= MAX_VIEWS && !views.some((view) => view.name === name))
    return `This browser keeps ${MAX_VIEWS} views. Delete one first.`;
  return undefined;
}

/** Views as the browser has kept them; none for what is not a list of views. */
export function parseViews(text: string | null): SavedView[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found.filter(isView).slice(0, MAX_VIEWS) : [];
  } catch {
    return [];
  }
}

const isView = (value: unknown): value is SavedView => {
  const { name, query } = (value ?? {}) as Partial<SavedView>;
  return typeof name === 'string' && name.trim() !== '' && typeof query === 'string';
};
