/**
 * Modules that stay files of their own in the bundle, because a worker thread starts from them, or because synchronous code loads
 * them on first use. `scripts/build-server.ts` lists them.
 */
import { createRequire } from 'node:module'
import { extname } from 'node:path'

/** The extension is `.ts` in the sources, and `.js` in the bundle, where all files are in one folder. */
const extension = extname(import.meta.filename)

/** Finds the module of this name beside the calling module, whose `import.meta.url` is `callerUrl`. */
export const findSeparateModule = (name: string, callerUrl: string): URL => new URL(`./${name}${extension}`, callerUrl)

export const requireSeparateModule = <T>(name: string, callerUrl: string): T =>
  createRequire(callerUrl)(`./${name}${extension}`)
