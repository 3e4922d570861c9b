import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { preloadFont } from './preload-font.ts'
import { compiledTexts } from './texts.ts'
import { wireOnly } from './wire.ts'

/** Everything is served from our own origin under `/app/`, with a hash in each name. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  json: { namedExports: false },
  plugins: [wireOnly(), compiledTexts(), preloadFont(), react()],
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    rolldownOptions: {
      input: { index: `${import.meta.dirname}/index.html`, sw: `${import.meta.dirname}/sw/sw.ts` },
      // The browser finds a new service worker by its content, at the same URL.
      output: {
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
        // What every screen needs is one file, not twenty small ones.
        codeSplitting: { groups: [{ name: 'app', tags: ['$initial'], test: (id) => !id.includes('/web/sw/') }] },
      },
    },
  },
})
