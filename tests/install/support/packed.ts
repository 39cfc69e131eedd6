/** The npm package of this working copy, which all tests of a run share. `packBelfry` runs before the tests. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isServerStale, isWebStale } from '../../../packaging/stale-builds.ts'
import { run } from './run.ts'

const root = resolve(import.meta.dirname, '../../..')
const folder = join(root, 'dist', 'packed')

const description = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string; files: string[] }
/** Entries that begin with "!" are left out of the package. */
const files = description.files.filter((name) => !name.startsWith('!'))
export const { version } = description

/** Returns the path of `belfry-<version>.tgz`. Packs only if the last package is older than what it contains. */
export async function packBelfry(): Promise<string> {
  const path = join(folder, `belfry-${version}.tgz`)
  if (!(await isOutdated(path))) return path
  mkdirSync(folder, { recursive: true })
  // npm runs the package's scripts with the Node of this project, because it puts node_modules/.bin first in their PATH.
  run('npm', ['pack', '--pack-destination', folder], { cwd: root })
  return path
}

async function isOutdated(path: string): Promise<boolean> {
  if (!existsSync(path) || isServerStale() || (await isWebStale())) return true
  const packedAt = statSync(path).mtimeMs
  return ['package.json', ...files.flatMap(listFiles)].some((name) => statSync(join(root, name)).mtimeMs >= packedAt)
}

/** Returns the path itself, and if it is a folder, the paths of everything in it. */
function listFiles(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  const names = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
  return [path, ...names.map((name) => join(path, name))]
}
