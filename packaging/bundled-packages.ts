/** The packages whose code or files are part of a bundle. Their licenses have to be part of what people install. */
import { readFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'

const root = resolve(import.meta.dirname, '..')

export interface BundledPackage {
  name: string
  version: string
  /** Relative to the root of the repository. */
  folder: string
}

/** `paths` are the paths of the modules and other files in the bundle. Files of Belfry itself are ignored. */
export async function listBundledPackages(paths: Iterable<string>): Promise<BundledPackage[]> {
  const folders = new Set<string>()
  for (const path of paths) {
    const relativePath = relative(root, path).split(sep).join('/')
    const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(relativePath)?.[0]
    if (folder !== undefined) folders.add(folder)
  }
  const packages = [...folders].map(async (folder) => {
    const { name, version } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'))
    return { name, version, folder }
  })
  return (await Promise.all(packages)).sort((a, b) => (a.folder < b.folder ? -1 : 1))
}

export const formatBundledPackages = (packages: readonly BundledPackage[]) => `${JSON.stringify(packages, null, 2)}\n`
