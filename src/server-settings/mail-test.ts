/** The result of the last test email. It counts only for the settings with which the email was sent. This module is pure. */
import { createHash } from 'node:crypto'
import type { Config } from '../config/config.ts'

type MailConfig = NonNullable<Config['mail']>

export interface StoredMailTest {
  /** Identifies the mail server and the sender. */
  settings: string
  testedAt: string
  /** null if the mail server accepted the test email. */
  error: string | null
}

export type MailTest = Pick<StoredMailTest, 'testedAt' | 'error'>

/** The hash depends on a password, so it is stored encrypted, like all values of the settings. */
const identifySettings = ({ url, from }: MailConfig) =>
  createHash('sha256')
    .update(JSON.stringify([url, from]))
    .digest('base64url')

export const toStoredMailTest = (mail: MailConfig, { testedAt, error }: MailTest): StoredMailTest => ({
  settings: identifySettings(mail),
  testedAt,
  error,
})

/** Returns undefined if the settings that apply have not been tested yet. */
export function findMailTest(mail: Config['mail'], stored: StoredMailTest | undefined): MailTest | undefined {
  if (mail === undefined || stored === undefined || stored.settings !== identifySettings(mail)) return undefined
  const { testedAt, error } = stored
  return { testedAt, error }
}
