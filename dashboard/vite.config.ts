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
  server: { proxy: { '/api': SVC_URL } },
});
