/** Checks and saves the settings that an admin changes on a page. A setting is tested before it is saved. */
import { randomUUID } from 'node:crypto'
import { formatMessageEmailHtml, formatMessageEmailText } from '../channels/common/message-html.ts'
import type { MessageSender } from '../channels/message-sender.ts'
import type { Config } from '../config/config.ts'
import { parseMailSender } from '../config/setting-parsers.ts'
import type { Clock } from '../lib/clock.ts'
import { isHostname, normalizeHost, removeBrackets } from '../lib/network-address.ts'
import { formatFieldError, invalid, Problem, rateLimited } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import type { RateLimit, WindowCounter } from '../lib/window-counter.ts'
import { DeliveryError } from '../outbox/delivery-error.ts'
import type { Database } from '../storage/database.ts'
import { findUrlProblem, isSentFrom, parseEnteredUrl } from './check-url.ts'
import { type MailServer, toMailConfig } from './mail-server.ts'
import { toStoredMailTest } from './mail-test.ts'
import type { UpdateMailServer } from './schema.ts'
import type { ServerSettings } from './server-settings.ts'
import { deleteSetting, putSetting } from './store.ts'
import { type StoredValues, sealSetting } from './stored-settings.ts'

/** Each change connects to a server that the admin chooses. */
const CHANGES_PER_MINUTE: RateLimit = { count: 20, windowSeconds: 60 }

export interface SaveSettingsDeps {
  clock: Clock
  counter: WindowCounter
  db: Database
  messageSender: MessageSender
  secret: Secret
  serverSettings: ServerSettings
  /** Whether a status page has this host as its custom domain. */
  isCustomDomain(host: string): boolean
}

export async function savePublicUrl(
  deps: SaveSettingsDeps,
  enteredUrl: string,
  request: { userId: number; origin: string | undefined; referer: string | undefined },
): Promise<void> {
  const { serverSettings, secret } = deps
  const { environment } = serverSettings
  requireUnsetInEnvironment(environment.url, 'BELFRY_URL', 'public URL')
  const parsed = parseEnteredUrl(enteredUrl)
  // The rule of a setting can end with a suggestion: "did you mean https://stats.example.com?"
  if ('rule' in parsed) throw invalid({ url: [formatFieldError('url', parsed.rule).replace(/\?\.$/, '?')] })
  const { url } = parsed
  if (deps.isCustomDomain(normalizeHost(new URL(url).host))) {
    throw invalid({ url: [formatFieldError('url', 'must not be the custom domain of a status page')] })
  }
  countChange(deps.counter, request.userId)
  if (!isSentFrom(url, request)) {
    const problem = await findUrlProblem(url, { secret, privateTargets: environment.privateTargets })
    if (problem !== undefined) throw invalid({ url: [`${problem} ${explainOtherWay(url)}`] })
  }
  await saveSetting(deps, 'public_url', { url, savedFrom: request.origin ?? null })
}

const explainOtherWay = (url: string) =>
  `If this server can't connect to its own public address, open ${url}/account/server in your browser, sign in there, and save the URL on that page.`

export async function saveMailServer(
  deps: SaveSettingsDeps,
  input: UpdateMailServer,
  admin: { userId: number; email: string },
): Promise<void> {
  const { serverSettings } = deps
  requireUnsetInEnvironment(serverSettings.environment.mail, 'BELFRY_SMTP_URL', 'mail server')
  const mailServer = parseMailServer(input, serverSettings.values.mail_server)
  countChange(deps.counter, admin.userId)
  const mail = toMailConfig(mailServer)
  const error = await sendTestEmail(deps, mail, admin.email)
  if (error !== null) throw new Problem('provider_delivery_failed', error)
  await saveSetting(deps, 'mail_server', mailServer)
  await saveMailTest(deps, mail, error)
}

/** Sends a test email with the settings that apply, also those of the environment, and remembers the result. */
export async function testMailServer(deps: SaveSettingsDeps, admin: { userId: number; email: string }): Promise<void> {
  const { mail } = deps.serverSettings.config
  if (mail === undefined) throw new Problem('conflict', 'No mail server is set.')
  countChange(deps.counter, admin.userId)
  const error = await sendTestEmail(deps, mail, admin.email)
  await saveMailTest(deps, mail, error)
  if (error !== null) throw new Problem('provider_delivery_failed', error)
}

type MailConfig = NonNullable<Config['mail']>

/** Sends a test email. Returns null if the mail server accepts it. */
async function sendTestEmail(
  { messageSender, serverSettings }: SaveSettingsDeps,
  mail: MailConfig,
  to: string,
): Promise<string | null> {
  try {
    await messageSender.tryMailServer(mail, createTestEmail(mail, serverSettings.config, to))
    return null
  } catch (error) {
    if (error instanceof DeliveryError) return error.sentence
    throw error
  }
}

async function saveMailTest(deps: SaveSettingsDeps, mail: MailConfig, error: string | null): Promise<void> {
  await saveSetting(deps, 'mail_test', toStoredMailTest(mail, { testedAt: deps.clock.now().toISOString(), error }))
}

/**
 * A password that was saved for one host and user is never sent to another host, which could belong to somebody who wants
 * to read it.
 */
export function parseMailServer(input: UpdateMailServer, saved: MailServer | undefined): MailServer {
  const { port, security, username = '', from } = input
  const host = removeBrackets(input.host.trim().toLowerCase())
  const errors: Record<string, string[]> = {}
  if (!isHostname(host)) {
    errors['host'] = [formatFieldError('host', 'must be a host name or an IP address, without a port')]
  }
  const isSameLogin = saved !== undefined && saved.host === host && saved.username === username
  const password = input.password || (isSameLogin ? saved.password : '')
  if (username !== '' && password === '') {
    errors['password'] = [formatFieldError('password', 'is required with a user name, and after the host has changed')]
  }
  if (username === '' && password !== '') {
    errors['username'] = [formatFieldError('username', 'is required with a password')]
  }
  try {
    parseMailSender(from.trim())
  } catch (error) {
    errors['from'] = [formatFieldError('from', (error as Error).message)]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
  return { host, port, security, username, password, from: from.trim() }
}

function createTestEmail(mail: MailConfig, { url }: Config, to: string) {
  const server = url === undefined ? 'Belfry' : `Belfry at ${url}`
  const message = {
    id: randomUUID(),
    kind: 'test' as const,
    title: 'Test email',
    text: `This is a test from ${server}, sent through ${new URL(mail.url).hostname}. Email works. No action needed.`,
  }
  return {
    id: message.id,
    to,
    subject: 'Test email from Belfry',
    text: formatMessageEmailText(message),
    html: formatMessageEmailHtml(message),
  }
}

export async function saveOtherBackups(deps: SaveSettingsDeps, areMadeElsewhere: boolean): Promise<void> {
  if (areMadeElsewhere) await saveSetting(deps, 'other_backups', true)
  else await removeSetting(deps, 'other_backups')
}

export async function removeSetting(
  { db, serverSettings }: Pick<SaveSettingsDeps, 'db' | 'serverSettings'>,
  name: keyof StoredValues,
): Promise<void> {
  await deleteSetting(db, name)
  await serverSettings.refresh(db)
}

export async function saveSetting<Name extends keyof StoredValues>(
  { clock, db, secret, serverSettings }: Pick<SaveSettingsDeps, 'clock' | 'db' | 'secret' | 'serverSettings'>,
  name: Name,
  value: StoredValues[Name],
): Promise<void> {
  await putSetting(db, sealSetting(secret, name, value, clock.now()))
  await serverSettings.refresh(db)
}

export function requireUnsetInEnvironment(value: unknown, variable: string, label: string): void {
  if (value === undefined) return
  throw new Problem(
    'conflict',
    `${variable} in the environment or the configuration file sets the ${label}. Change it there, and restart the server.`,
  )
}

export function countChange(counter: WindowCounter, userId: number): void {
  const { allowed, retryAfterSeconds } = counter.take(`server-settings:user:${userId}`, CHANGES_PER_MINUTE)
  if (!allowed) {
    throw rateLimited(
      `You can change server settings ${CHANGES_PER_MINUTE.count} times a minute. Try again later.`,
      retryAfterSeconds,
    )
  }
}
