import { goto } from '$app/navigation';
import { page } from '$app/state';

/**
 * Changes what stands in the query of the URL: null takes a name out, lists stand for repeated names. The page stays
 * where it is, and the back button undoes it unless it replaces.
 */
export function setQuery(
  changes: Readonly<Record<string, string | readonly string[] | null>>,
  { replace = false }: { replace?: boolean } = {},
): Promise<void> {
  const query = new URLSearchParams(page.url.search);
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name);
    if (value === null) continue;
    for (const one of typeof value === 'string' ? [value] : value) query.append(name, one);
  }
  const text = query.toString().replaceAll(/=(?=&|$)/g, '');
  return goto(text === '' ? page.url.pathname : `${page.url.pathname}?${text}`, {
    replace,
    reset: false,
  });
}
