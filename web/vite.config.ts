/** How the pages are built: relative addresses, so that they work under any path, and nothing inline. */
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  logLevel: 'warn',
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    // Images inside the script would count as script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What hardly ever changes stays in the browser's cache over an upgrade.
        codeSplitting: { groups: [{ name: 'parts', test: /node_modules\/(preact|@tanstack|wouter|regexparam)/ }] },
      },
    },
  },
})
