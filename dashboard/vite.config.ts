import adapter from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig } from 'vite';

// Set by scripts/buildDashboard.ts: the output folder, and a hash of the sources, so that builds are reproducible.
const { DASHBOARD_BUILD = 'build', DASHBOARD_VERSION = 'development' } = process.env;
/** The service behind `npm run dev`. */
const { SVC_URL = 'http://127.0.0.1:2455' } = process.env;

const FORMS = /bits-ui\/dist\/bits\/(select|combobox|switch)\/|src\/lib\/ui\/(Select|Switch|TokensField)\.svelte/;
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
            // Modules of several pages are one file, preloaded by the page: loading sixty small files takes longer than the rest of
            // the first load, as over HTTP/1.1 a browser fetches six files at a time, whatever their size.
            { name: 'common', minShareCount: 2, maxModuleSize: 3_000, test: (id) => !FORMS.test(id) },
            // Large ones only where most pages have them.
            { name: 'common', minShareCount: 4, test: (id) => !FORMS.test(id) },
            // Fields of forms, which the pages that are opened first do not have.
            { name: 'forms', test: FORMS },
            // The framework's first script reads the base path and the version from the page before the rest of the
            // framework is evaluated, so it must not import the rest.
            { name: 'first', test: /kit\/src\/runtime\/client\/payload\.js|vite\/preload-helper/, priority: 1 },
          ],
        },
      },
    },
  },
  // The page /api-keys begins with the same letters.
  server: { proxy: { '^/api/': SVC_URL } },
});
