/**
 * Builds the pages with relative URLs, so that they work under any path, and without inline code, which the
 * Content-Security-Policy blocks.
 */
import { defineConfig } from 'vite'
import { bundledPackages } from './build/bundled-packages.ts'
import { iconFiles, iconSetFiles } from './build/icon-files.ts'

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  logLevel: 'warn',
  plugins: [iconFiles(), bundledPackages(iconSetFiles)],
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    // tests/web/size.test.ts limits the size of scripts, and inlined images would count towards it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Libraries rarely change. In a separate file, they stay in the browser's cache across upgrades.
            { name: 'libraries', test: /node_modules\/(preact|@tanstack|wouter|regexparam)/ },
            // The first page needs all of this. If code that other pages share with it were split off, each small file would need a
            // request and about 100 more bytes.
            { name: 'index', tags: ['$initial'] },
            // Code that most of the other pages use, in one file for the same reason.
            { name: 'common', minShareCount: 8, test: /\.tsx?$|lucide-preact/ },
          ],
        },
      },
    },
  },
})
