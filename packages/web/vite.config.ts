import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { emojiFromServer } from './emoji-from-server.ts'
import { formulaFonts } from './formula-fonts.ts'
import { licences } from './licences.ts'
import { loadedLater } from './loaded-later.ts'
import { preloadFont } from './preload-font.ts'
import { compiledTexts } from './texts.ts'

/** Everything is served from our own origin under `/app/`, with a hash in each name. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  json: { namedExports: false },
  plugins: [compiledTexts(), loadedLater(), emojiFromServer(), formulaFonts(), preloadFont(), licences(), react()],
  worker: { plugins: () => [emojiFromServer()] },
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
        chunkFileNames: ({ facadeModuleId }) =>
          `assets/[name]-${facadeModuleId?.endsWith('?more') ? 'more-' : ''}[hash].js`,
        // What every screen needs is one file, not twenty small ones.
        codeSplitting: {
          groups: [
            { name: 'app', tags: ['$initial'], test: (id) => !id.includes('/web/sw/') },
            // Small parts that are loaded in any case after the first message, and dialogs, compress better as one file.
            {
              name: 'early',
              test: /\/(channel-lines|completion-list|caret-column|drop-zone|editor|email-bar|paused-line|linked-message|found-words|lightbox|copy-code|widget|widget-model|working-lines|ephemeral-notes|actions-view|emoji-text|to-newest|tools|upload-cards|warning-lines|while-away)\.tsx?$|\.generated\.ts\?more$/,
            },
            { name: 'background', test: /\/(notifier|kept-focus|copy-messages|service-worker)\.ts$/ },
            {
              name: 'dialogs',
              test: (id) =>
                /(-dialog|\/(new-message|emoji-picker|emoji-groups|recent-emoji|found|found-model|next-steps|next-steps-model|section-menu-items))\.tsx?$/.test(
                  id,
                ) && !id.includes('/search/'),
            },
            // Screens need parts of the settings in any case. What belongs together compresses better as one file.
            {
              name: 'screens',
              test: /\/phone\/[a-z]+-screen\.tsx$|\/web\/src\/(settings\/|organization\/|permissions\/who-may|ui\/search-field|palette\/|search\/|recent\/|topics\/|channels\/|compose\/(drafts|scheduled)\/|people\/)/,
            },
          ],
        },
      },
    },
  },
})
