/** Checks whether the pages and the server must be built again, because their sources or dependencies have changed. */
import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { findMainModule } from '../bin/launch.js'

const root = resolve(import.meta.dirname, '..')
const pagesFolder = join(root, 'web')

/** Whether the sources or dependencies of the pages have changed since the last build. */
export async function isWebStale(): Promise<boolean> {
  const builtAt = await readTime(join(pagesFolder, 'dist', 'index.html')).catch(() => undefined)
  if (builtAt === undefined) return true
  const entries = await readdir(pagesFolder, { recursive: true, withFileTypes: true })
  const sources = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/^(?:dist|\.dist-)/.test(file.slice(pagesFolder.length + 1)))
  for (const file of [...sources, join(root, 'package-lock.json'), join(root, 'scripts', 'build-web.ts')]) {
    if ((await readTime(file)) > builtAt) return true
  }
  return false
}

export const isServerStale = (): boolean => findMainModule(root) !== join(root, 'dist', 'server', 'main.js')

async function readTime(file: string): Promise<number> {
  return (await stat(file)).mtimeMs
}
