/** Finds an installed Chromium for the tests. BELFRY_CHROMIUM can name the path of another browser. */
import { existsSync } from 'node:fs'

const chromiumPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const headlessShellPath = '/usr/lib/chromium/chromium-headless-shell'

export function findChromium(): string | undefined {
  const { BELFRY_CHROMIUM: ownPath } = process.env
  return (ownPath === undefined ? chromiumPaths : [ownPath]).find((path) => existsSync(path))
}

/**
 * Finds Chromium's headless shell where Debian installs it, or else any Chromium. The shell takes a third of the
 * processor time for a page, but has no back/forward cache.
 */
export function findHeadlessShell(): string | undefined {
  if (process.env['BELFRY_CHROMIUM'] !== undefined || !existsSync(headlessShellPath)) return findChromium()
  return headlessShellPath
}
