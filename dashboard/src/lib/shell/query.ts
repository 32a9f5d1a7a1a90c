import { goto } from '$app/navigation';
import { page } from '$app/state';

/**
 * Changes the query of the URL: null removes a name, a list repeats it. The scroll position stays; the back button undoes
 * the change unless `replace` is set.
 */
export function setQuery(
  changes: Readonly<Record<string, string | readonly string[] | null>>,
  { replace = false }: { replace?: boolean } = {},
): Promise<void> {
  const query = new URLSearchParams(page.url.search);
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name);
    if (value === null) continue;
    for (const item of typeof value === 'string' ? [value] : value) query.append(name, item);
  }
  const text = query.toString().replaceAll(/=(?=&|$)/g, '');
  return goto(text === '' ? page.url.pathname : `${page.url.pathname}?${text}`, {
    replace,
    reset: false,
  });
}
