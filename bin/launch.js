// @ts-check
// Finds the Node that can run Belfry, and the code of the server. Plain JavaScript without side effects that Node 20 can load.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const MIN_MAJOR_VERSION = 26

/** With this small young generation of V8's heap, the server needs 20 MB less memory and is as fast. */
export const serverFlag = '--max-semi-space-size=8'

/**
 * Without this flag, Node opens its debugger when it receives SIGUSR1. A process of root may become another user, who
 * could then send the signal.
 */
export const rootFlag = '--disable-sigusr1'

/**
 * What to do with this process:
 * - `run`: load Belfry.
 * - `replace`: become another Node process with the same process ID.
 * - `supervise`: start another Node process and wait for it, because this Node can't replace itself.
 * - `refuse`: say which Node is needed.
 * @typedef {{ kind: 'run' | 'refuse' } | { kind: 'replace' | 'supervise', node: string, nodeArguments: string[] }} Plan
 */

/**
 * @param {{ version: string, node: string, nodeArguments: string[], nodeOptions: string, isRoot: boolean, canReplace: boolean,
 *   packagedNode: string | undefined, args: string[] }} situation `node` is the running Node, and `packagedNode` the one that npm installed with Belfry.
 * @returns {Plan}
 */
export function planLaunch({ version, node, nodeArguments, nodeOptions, isRoot, canReplace, packagedNode, args }) {
  const flags = isRoot ? [serverFlag, rootFlag] : [serverFlag]
  if (Number.parseInt(version, 10) >= MIN_MAJOR_VERSION) {
    const isFlagMissing = ![...nodeArguments, nodeOptions].some((text) => text.includes('--max-semi-space-size'))
    if (startsServer(args) && isFlagMissing && canReplace)
      return { kind: 'replace', node, nodeArguments: [...nodeArguments, ...flags] }
    return { kind: 'run' }
  }
  if (packagedNode === undefined) return { kind: 'refuse' }
  return { kind: canReplace ? 'replace' : 'supervise', node: packagedNode, nodeArguments: flags }
}

/** @param {string[]} args */
const startsServer = ([first]) => first === undefined || first === 'serve' || first.startsWith('--config')

/**
 * Returns the path of the Node in Belfry's optional dependency, or undefined if there is none for this system.
 * @returns {string | undefined}
 */
export function findPackagedNode() {
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`)
  } catch {
    return undefined
  }
}

/**
 * Finds the module with `main`: the bundle, or the sources if the bundle is missing or older than any of them. An installed package
 * has no sources.
 * @param {string} packageFolder
 * @returns {string}
 */
export function findMainModule(packageFolder) {
  const bundle = join(packageFolder, 'dist', 'server', 'main.js')
  const source = join(packageFolder, 'src', 'main.ts')
  return existsSync(source) && isOlderThanSources(bundle, packageFolder) ? source : bundle
}

/**
 * @param {string} bundle
 * @param {string} packageFolder
 */
function isOlderThanSources(bundle, packageFolder) {
  const bundleMs = statSync(bundle, { throwIfNoEntry: false })?.mtimeMs
  if (bundleMs === undefined) return true
  const sources = join(packageFolder, 'src')
  // The list contains folders, too: the modification time of a folder changes if a file in it is deleted or renamed.
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => !name.endsWith('.test.ts'))
  // For a thousand names, `join` would take 15 ms, because V8 has not optimized it yet in a process that has just started.
  const paths = [join(packageFolder, 'package-lock.json'), sources, ...names.map((name) => `${sources}/${name}`)]
  return paths.some((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= bundleMs)
}
