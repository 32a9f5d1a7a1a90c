import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const WITH_WINDOWS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The browser of the machine, if it has one. */
export const chromiumPath = firstOf(WITH_WINDOWS);

/** What the journeys run in, and are skipped without: the browser that has no windows draws the same with half of the work. */
export const headlessPath = firstOf(['chromium-headless-shell', ...WITH_WINDOWS]);

function firstOf(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
