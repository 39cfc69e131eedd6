/** The folder with package.json. All files that are not code, such as migrations and pages, are found from here. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The folder is not always the same number of levels up: this code runs from src/lib/ or, bundled, from dist/server/.
 */
export const packageFolder = findPackageFolder(import.meta.dirname)

export function findPackageFolder(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('No package.json found above the code of Belfry.')
  return findPackageFolder(parent)
}

/** A package that npm installed contains only the bundle; a clone of the repository also has the sources. */
export const isInstalledPackage = !existsSync(join(packageFolder, 'src', 'main.ts'))
