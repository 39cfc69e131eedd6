/**
 * A copy of the saved public URL in the data folder. A server that starts while its database is unavailable serves copies
 * of status pages, and needs the URL to recognize their custom domains.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SavedSettings } from '../config/saved-settings.ts'
import { readPrivateFile, replacePrivateFile } from '../lib/private-file.ts'

const copyPath = (dataDir: string) => join(dataDir, 'public-url.json')

/** The mail server is not copied: nothing is sent without the database. */
export function writeUrlCopy(dataDir: string, { url, signInOrigin }: SavedSettings): void {
  try {
    if (url === undefined) rmSync(copyPath(dataDir), { force: true })
    else replacePrivateFile(copyPath(dataDir), JSON.stringify({ url, signInOrigin }))
  } catch {
    // A missing or full data folder must not prevent that the URL is used. The copy is only for a start without the database.
  }
}

export function readUrlCopy(dataDir: string): SavedSettings {
  try {
    const { url, signInOrigin } = JSON.parse(readPrivateFile(copyPath(dataDir))) as SavedSettings
    return typeof url === 'string' && URL.canParse(url) ? { url, ...(signInOrigin && { signInOrigin }) } : {}
  } catch {
    return {}
  }
}
