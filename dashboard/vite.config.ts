import adapter from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig } from 'vite';

// From scripts/ensureBuilt.mjs: where to build, and a name of these sources, so that the same ones build the same files.
const { DASHBOARD_BUILD = 'build', DASHBOARD_VERSION = 'development' } = process.env;
/** Where `npm run dev` finds the service. */
const { SVC_URL = 'http://127.0.0.1:2455' } = process.env;

export default defineConfig({
  plugins: [
    sveltekit({
      compilerOptions: { runes: true },
      // Every path is answered with one page; the service decides which paths those are (src/http/dashboard).
      adapter: adapter({ pages: DASHBOARD_BUILD, fallback: 'index.html', precompress: true }),
      version: { name: DASHBOARD_VERSION },
    }),
  ],
  build: {
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What many pages need comes as one file, named in the page itself: asking for sixty small ones takes a
            // browser longer than everything else about a first load, and most of them only once it has read others.
            { name: 'common', minShareCount: 4 },
            // The framework's first script hands over what stands in the page (base path, version) before anything else
            // of the framework is evaluated: what it imports must not lead to the rest.
            { name: 'first', test: /kit\/src\/runtime\/client\/payload\.js|vite\/preload-helper/, priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': SVC_URL } },
});
