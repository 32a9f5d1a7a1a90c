import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';

// Keep in sync with app.html.
const KEY = 'svc-font';

/** Remembers that the browser has the font, so that the next visit asks for it first. Until then it would only delay the scripts. */
export async function rememberFont(): Promise<void> {
  // What a page asks for when it is shown is sent first.
  await new Promise((resolve) => setTimeout(resolve));
  try {
    const loaded = await document.fonts.load('1em "Inter Variable"');
    if (loaded.length > 0) localStorage.setItem(KEY, inter);
  } catch {
    // The font cannot be loaded, or the browser allows no storage: the next visit is as this one.
  }
}
