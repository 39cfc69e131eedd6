import { expect, it } from 'vitest'
import { Secret } from '../lib/secret.ts'
import { type MailServer, toMailConfig } from './mail-server.ts'
import { sealSetting, toSavedSettings, unsealSettings } from './stored-settings.ts'

const secret = new Secret('a secret that is only good for tests')
const now = new Date('2026-01-05T10:00:00Z')
const mailServer: MailServer = {
  host: 'mail.example.com',
  port: 587,
  security: 'starttls',
  username: 'belfry@example.com',
  password: 'a/b:c@d?e',
  from: 'Belfry <belfry@example.com>',
}

it('settings are the same after they were encrypted and decrypted', () => {
  const rows = [
    sealSetting(secret, 'mail_server', mailServer, now),
    sealSetting(secret, 'public_url', { url: 'https://stats.example.com', savedFrom: 'http://localhost:3000' }, now),
    { name: 'last_backup' as const, value: Buffer.alloc(0), updatedAt: now },
  ]
  const { values, lastBackupAt, unreadableNames } = unsealSettings(secret, rows)
  expect({ values, lastBackupAt, unreadableNames }).toEqual({
    values: {
      mail_server: mailServer,
      public_url: { url: 'https://stats.example.com', savedFrom: 'http://localhost:3000' },
    },
    lastBackupAt: now,
    unreadableNames: [],
  })
  expect(toSavedSettings(values)).toMatchObject({
    url: 'https://stats.example.com',
    signInOrigin: 'http://localhost:3000',
    mail: { from: mailServer.from },
  })
})

it('a setting is ignored if it was encrypted with another secret, or is the value of another setting', () => {
  const otherSecret = new Secret('another secret that is only good for tests')
  const row = sealSetting(secret, 'mail_server', mailServer, now)
  expect(unsealSettings(otherSecret, [row])).toMatchObject({ values: {}, unreadableNames: ['mail_server'] })
  expect(toSavedSettings(unsealSettings(secret, [{ ...row, name: 'public_url' }]).values)).toEqual({})
})

it.each([
  [{}, 'smtp://belfry%40example.com:a%2Fb%3Ac%40d%3Fe@mail.example.com:587?requireTLS=true'],
  [{ security: 'tls', port: 465 }, 'smtps://belfry%40example.com:a%2Fb%3Ac%40d%3Fe@mail.example.com:465'],
  [{ security: 'none', username: '', password: '', host: '2001:db8::1' }, 'smtp://[2001:db8::1]:587?ignoreTLS=true'],
] as const)('the URL of a mail server with %o is %s', (change, url) => {
  expect(toMailConfig({ ...mailServer, ...change }).url).toBe(url)
})
