/** A Vite plugin that lists the packages whose code, fonts and icons are part of the pages. */
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { formatBundledPackages, listBundledPackages } from '../../packaging/bundled-packages.ts'

/** The file is not served: it is neither in assets/ nor one of the files with a route of their own. */
const LIST_FILE = 'bundled-packages.json'

/** `copiedFiles` lists the files that other plugins have copied out of packages. */
export function bundledPackages(copiedFiles: readonly string[]): Plugin {
  return {
    name: 'bundled-packages',
    async generateBundle(_options, bundle) {
      const paths = Object.values(bundle).flatMap((file) =>
        file.type === 'chunk'
          ? file.moduleIds
          : file.originalFileNames.map((name) => resolve(import.meta.dirname, '..', name)),
      )
      const source = formatBundledPackages(await listBundledPackages([...paths, ...copiedFiles]))
      this.emitFile({ type: 'asset', fileName: LIST_FILE, source })
    },
  }
}
