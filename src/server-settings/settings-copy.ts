/**
 * A copy of the saved settings in the data folder, without secrets. A server that starts while its database is unavailable
 * serves copies of status pages, and needs the public URL to recognize their custom domains. `belfry config` shows the copy,
 * because it doesn't connect to the database.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SavedSettings } from '../config/saved-settings.ts'
import { readPrivateFile, replacePrivateFile } from '../lib/private-file.ts'

interface SettingsCopy {
  url?: string
  signInOrigin?: string
  /** The mail server without its login: `smtp://mail.example.com:587`. */
  mailServer?: string
  mailFrom?: string
  issuer?: string
  clientId?: string
}

const copyPath = (dataDir: string) => join(dataDir, 'server-settings.json')

export function writeSettingsCopy(dataDir: string, { url, signInOrigin, mail, singleSignOn }: SavedSettings): void {
  try {
    if (url === undefined && mail === undefined && singleSignOn === undefined) {
      rmSync(copyPath(dataDir), { force: true })
      return
    }
    const mailUrl = mail && new URL(mail.url)
    const copy: SettingsCopy = {
      ...(url !== undefined && { url }),
      ...(signInOrigin !== undefined && { signInOrigin }),
      ...(mail && mailUrl && { mailServer: `${mailUrl.protocol}//${mailUrl.host}`, mailFrom: mail.from }),
      ...(singleSignOn && { issuer: singleSignOn.issuer, clientId: singleSignOn.clientId }),
    }
    replacePrivateFile(copyPath(dataDir), JSON.stringify(copy))
  } catch {
    // A missing or full data folder must not prevent that the settings are used.
  }
}

export function readSettingsCopy(dataDir: string): SettingsCopy {
  try {
    const copy = JSON.parse(readPrivateFile(copyPath(dataDir))) as Record<string, unknown>
    const texts = Object.entries(copy).filter(([, value]) => typeof value === 'string')
    const { url, signInOrigin, mailServer, mailFrom, issuer, clientId } = Object.fromEntries(texts) as SettingsCopy
    return {
      ...(url !== undefined && URL.canParse(url) && { url, ...(signInOrigin && { signInOrigin }) }),
      ...(mailServer !== undefined && mailFrom !== undefined && { mailServer, mailFrom }),
      ...(issuer !== undefined && clientId !== undefined && { issuer, clientId }),
    }
  } catch {
    return {}
  }
}
