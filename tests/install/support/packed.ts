/** Packs this working copy as an npm package, which all tests of a run share. */
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isServerStale } from '../../../scripts/build-server.ts'
import { isWebStale } from '../../../scripts/build-web.ts'
import { run } from './run.ts'

const root = resolve(import.meta.dirname, '../../..')
const folder = join(root, 'dist', 'packed')

export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

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
  const inputs = [
    'bin',
    'lists',
    'migrations',
    'status-page',
    'tracker',
    'package.json',
    'dist/server/main.js',
    'web/dist',
  ]
  const packedAt = statSync(path).mtimeMs
  return inputs.some((input) => statSync(join(root, input)).mtimeMs >= packedAt)
}
