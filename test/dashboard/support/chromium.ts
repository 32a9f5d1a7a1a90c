import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const WITH_WINDOWS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Path of a browser with windows; undefined when none is installed. */
export const chromiumPath = firstOf(WITH_WINDOWS);

/** Browser of the journeys, which are skipped without one. The headless shell renders the same with half of the CPU time. */
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
