/** Finds the browsers that the tests use. BELFRY_CHROMIUM is the path of another one. */
import { existsSync } from 'node:fs'

const chromiumPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const headlessShellPath = '/usr/lib/chromium/chromium-headless-shell'

export function findChromium(): string | undefined {
  return process.env['BELFRY_CHROMIUM'] ?? chromiumPaths.find((path) => existsSync(path))
}

/**
 * Chromium without a user interface, as Debian packages it. It takes a third of the processor time for a page, but has
 * no back/forward cache.
 */
export function findHeadlessShell(): string | undefined {
  if (process.env['BELFRY_CHROMIUM'] !== undefined || !existsSync(headlessShellPath)) return findChromium()
  return headlessShellPath
}
