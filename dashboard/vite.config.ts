import adapter from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig, type Rolldown } from 'vite';

// Set by scripts/buildDashboard.ts: the output folder, and a hash of the sources, so that builds are reproducible.
const { DASHBOARD_BUILD = 'build', DASHBOARD_VERSION = 'development' } = process.env;
/** The service behind `npm run dev`. */
const { SVC_URL = 'http://127.0.0.1:2455' } = process.env;

/** Fields, menus and dialogs with what places them and keeps the focus in them: not in the first view, see src/lib/ui/late.ts. */
const LAYERS = /node_modules\/(bits-ui|svelte-toolbelt|runed|tabbable|@floating-ui|@internationalized)\//;
/** Layouts and the framework, which every page has. */
const EVERYWHERE = /src\/routes\/(\(app\)\/)?\+(layout|error)\.|kit\/src\/runtime\/client\/|client-optimized\/app\.js/;
/**
 * In files of their own: SvelteKit looks for that of its entry, and names in the HTML the styles of all that the root layout, and so the
 * common file, loads later, as the layout of the pages does.
 */
const ALONE = /\/client\/entry\.js$|src\/routes\/\(app\)\/\+layout\.svelte/;
/** Overview and request log. */
const OPENED_FIRST = [/src\/routes\/\(app\)\/\+page\.svelte$/, /request-logs\/(\+page|LogTable)\.svelte$/];
/** In bytes of source. */
const MAX_SMALL_MODULE = 3_000;

/** The file for a module that is used more than once. Over HTTP/1.1 a browser fetches six files at a time, whatever their size. */
function fileOf(id: string, graph: Rolldown.ChunkingContext): 'common' | 'shared' | 'layers' | null {
  if (ALONE.test(id)) return null;
  if (LAYERS.test(id)) return 'layers';
  // The module and what needs it to run.
  const users = reached(id, (module) => graph.getModuleInfo(module)?.importers);
  if (users.some((user) => EVERYWHERE.test(user))) return 'common';
  const starts = users.filter((user) => isStart(user, graph)).length;
  const isSmall = (graph.getModuleInfo(id)?.code?.length ?? 0) <= MAX_SMALL_MODULE;
  const first = OPENED_FIRST.filter((page) => users.some((user) => page.test(user))).length;
  if (first === 2) return 'common';
  if (first === 1) return starts >= (isSmall ? 2 : 3) ? 'common' : null;
  if (starts < (isSmall ? 2 : 4)) return null;
  // Pages without fields, menus and dialogs share something as well.
  return reached(id, (module) => graph.getModuleInfo(module)?.importedIds).some((used) => LAYERS.test(used))
    ? 'layers'
    : 'shared';
}

/** The module and what is reached from it, step by step. */
function reached(id: string, step: (id: string) => readonly string[] | undefined): readonly string[] {
  const found = new Set([id]);
  // A loop over a set also visits what is added meanwhile.
  for (const module of found) for (const next of step(module) ?? []) found.add(next);
  return [...found];
}

/** Whether a module is loaded by itself: as a page, or when something needs it. */
function isStart(id: string, graph: Rolldown.ChunkingContext): boolean {
  const info = graph.getModuleInfo(id);
  return info !== null && (info.isEntry || info.dynamicImporters.length > 0);
}

const groupOf = (file: string) => ({
  name: (id: string, graph: Rolldown.ChunkingContext) => (fileOf(id, graph) === file ? file : null),
  debugName: file,
});

export default defineConfig({
  plugins: [
    sveltekit({
      compilerOptions: { runes: true },
      // One page for all paths; the service decides which paths those are (src/http/static/dashboard.ts).
      adapter: adapter({ pages: DASHBOARD_BUILD, fallback: 'index.html', precompress: true }),
      version: { name: DASHBOARD_VERSION },
    }),
  ],
  build: {
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // A file takes what its modules import, unless it is in one with a higher priority.
            { ...groupOf('common'), priority: 4 },
            { ...groupOf('shared'), priority: 3 },
            { ...groupOf('layers'), priority: 2 },
            // The framework's first script reads the base path and the version from the page before the rest of the
            // framework is evaluated, so it must not import the rest.
            { name: 'first', test: /kit\/src\/runtime\/client\/payload\.js|vite\/preload-helper/, priority: 5 },
          ],
        },
      },
    },
  },
  // The page /api-keys begins with the same letters.
  server: { proxy: { '^/api/': SVC_URL } },
});
