import { serveThread } from '../../lib/threads/serveThread.ts';
import { readPartOf } from '../check/checkBundle.ts';
import { checkPart } from '../check/checkPart.ts';
import { openBundle } from '../format/bundleFile.ts';
import { inflate, openFileSource, sha256Of } from './fileSource.ts';
import type { PartThread } from './partThread.ts';

// Program of a thread that checks parts of a bundle.

await serveThread<PartThread>(async ({ path }) => {
  const source = await openFileSource(path);
  const read = readPartOf(await openBundle(source), { inflate, sha256: sha256Of });
  return {
    requests: { check: async (task) => checkPart(await read(task)) },
    stop: () => source.close(),
  };
});
