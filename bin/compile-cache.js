// @ts-check
// Keeps compiled code for later starts, where no other user can prepare code for us to run. By default, Node would use a folder in /tmp
// without checking whose it is.
import { lstatSync, mkdirSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'

/**
 * Creates the cache folder of this user. Returns undefined if it can't be created, or if another user could write to it.
 * @param {string} temporaryFolder
 * @param {number} user
 * @returns {string | undefined}
 */
export function createCacheFolder(temporaryFolder, user) {
  const folder = join(temporaryFolder, `belfry-compile-cache-${user}`)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') return undefined
  }
  // This uses `lstat`, because a link could lead to a folder that another user fills.
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  const isPrivate = stats?.isDirectory() === true && stats.uid === user && (stats.mode & 0o022) === 0
  return isPrivate ? folder : undefined
}

/**
 * Enables Node's cache of compiled code. NODE_COMPILE_CACHE can name another folder, and NODE_DISABLE_COMPILE_CACHE
 * turns the cache off.
 * @param {string} temporaryFolder
 */
export function enableCompileCache(temporaryFolder) {
  if (process.env['NODE_DISABLE_COMPILE_CACHE'] !== undefined) return
  // An empty NODE_COMPILE_CACHE counts as unset, because Node would put the cache into the working folder.
  const folder = process.env['NODE_COMPILE_CACHE'] || createCacheFolder(temporaryFolder, process.getuid?.() ?? 0)
  if (folder !== undefined) module.enableCompileCache?.(folder)
}
