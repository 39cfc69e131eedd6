/**
 * Builds the pages with relative URLs, so that they work under any path, and without inline code, which the
 * Content-Security-Policy blocks.
 */
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
    // Inlined images would count towards the size limit of scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Libraries rarely change. In a separate file, they stay in the browser's cache across upgrades.
        codeSplitting: { groups: [{ name: 'parts', test: /node_modules\/(preact|@tanstack|wouter|regexparam)/ }] },
      },
    },
  },
})
