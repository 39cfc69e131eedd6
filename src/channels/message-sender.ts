/** Sends messages through channels. It limits the time of an attempt and redacts secrets from responses. */
import type { Config } from '../config/config.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { truncate } from '../lib/text.ts'
import { DeliveryError } from '../outbox/delivery-error.ts'
import type { ChannelMessage, ChannelSettings } from './common/channel.ts'
import { type OpenTransports, openTransports } from './common/transports.ts'
import { listSecretTexts } from './field-values.ts'
import { type Email, isMailDomainAllowed, sendEmail } from './kinds/email.ts'
import { type ChannelType, getChannelKind } from './kinds.ts'
import { redact } from './redact.ts'
import { toVisibleMessage } from './visible-message.ts'

/** Covers the whole attempt: name lookup, connection, request and response. */
const ATTEMPT_TIMEOUT_MS = 10_000
/**
 * This is shorter than the timeout of the whole attempt, so that an unreachable host and a service that does not
 * respond give different errors.
 */
const CONNECT_TIMEOUT_MS = 7_000
const MAX_RESPONSE_LENGTH = 200

export interface Recipient {
  type: ChannelType
  settings: ChannelSettings
}

export class MessageSender {
  readonly #config: Config
  readonly #clock: Clock
  #transports: Promise<OpenTransports> | undefined
  readonly #stopController = new AbortController()
  readonly #requireUnblocked: (address: string) => Promise<void>

  /** `requireUnblocked` throws a DeliveryError if the owner of the address has blocked emails from this server. */
  constructor(
    config: Config,
    clock: Clock = systemClock,
    requireUnblocked: (address: string) => Promise<void> = async () => {},
  ) {
    this.#config = config
    this.#clock = clock
    this.#requireUnblocked = requireUnblocked
  }

  /** Resolves with the receiver's response. Rejects with a DeliveryError. */
  async deliver({ type, settings }: Recipient, message: ChannelMessage): Promise<string> {
    const kind = getChannelKind(type)
    if (type === 'email') await this.#requireAllowedRecipient(settings['recipient_email'] as string)
    const secrets = Object.entries(kind.fields).flatMap(([name, field]) =>
      listSecretTexts(field, settings[name] ?? null),
    )
    this.#transports ??= openTransports(this.#config, CONNECT_TIMEOUT_MS)
    const transports = await this.#transports
    const now = this.#clock.now()
    const visibleMessage = toVisibleMessage(message)
    return this.#attempt(secrets, (signal) => kind.send(settings, visibleMessage, { transports, now, signal }))
  }

  /** Sends an email that belongs to no channel. Resolves and rejects like `deliver`. */
  async sendEmail(email: Email): Promise<string> {
    const to = await this.#listUnblocked(email)
    return this.#attempt([], (signal) => sendEmail(this.#config.mail, { ...email, to }, signal))
  }

  /** Sends an email through a mail server that is not saved yet. Resolves and rejects like `deliver`. */
  async tryMailServer(mail: NonNullable<Config['mail']>, email: Email): Promise<string> {
    await this.#listUnblocked(email)
    const { secrets } = readOperatorLogins({ mail, sms: undefined })
    return this.#attempt(secrets, (signal) => sendEmail(mail, email, signal))
  }

  /** Returns the recipients who have not blocked emails from this server. Throws a DeliveryError if all have. */
  async #listUnblocked({ to }: Email): Promise<string[]> {
    const addresses = [to].flat()
    const checks = await Promise.allSettled(addresses.map((address) => this.#requireUnblocked(address)))
    const refusal = checks.find(({ status }) => status === 'rejected')
    const unblockedAddresses = addresses.filter((_, n) => checks[n]?.status === 'fulfilled')
    if (unblockedAddresses.length === 0 && refusal?.status === 'rejected') throw refusal.reason
    return unblockedAddresses
  }

  /** The list of domains may have changed since the channel was saved. */
  async #requireAllowedRecipient(address: string): Promise<void> {
    if (!isMailDomainAllowed(this.#config.mailDomains, address)) {
      throw new DeliveryError("This server doesn't send email to this domain (BELFRY_MAIL_DOMAINS)", {
        permanent: true,
      })
    }
    await this.#requireUnblocked(address)
  }

  async #attempt(secrets: readonly string[], send: (signal: AbortSignal) => Promise<string>): Promise<string> {
    const { accountNames, secrets: operatorSecrets } = readOperatorLogins(this.#config)
    const cleanResponse = (response: string) =>
      shortenResponse(redact(response, [...secrets, ...operatorSecrets], accountNames))
    const signal = AbortSignal.any([this.#stopController.signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)])
    try {
      return cleanResponse(await send(signal))
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      if (this.#stopController.signal.aborted) {
        throw new DeliveryError('The server is stopping', { uncertain: true, interrupted: true })
      }
      throw new DeliveryError(error.message, { ...error, response: cleanResponse(error.response) })
    }
  }

  /** Interrupts the attempts in progress. */
  async stop(): Promise<void> {
    this.#stopController.abort()
    await (await this.#transports)?.close()
  }
}

/** Call it only after redaction, because `redact` would not recognize a truncated secret. */
function shortenResponse(response: string): string {
  return response.length > MAX_RESPONSE_LENGTH ? `${truncate(response, MAX_RESPONSE_LENGTH)}…` : response
}

/** The credentials of the operator's mail and SMS accounts, which users of the server must not see. */
function readOperatorLogins({ mail, sms }: Pick<Config, 'mail' | 'sms'>): {
  accountNames: string[]
  secrets: string[]
} {
  const mailUrl = mail && new URL(mail.url)
  const [user = '', password = ''] = [mailUrl?.username, mailUrl?.password].map(
    (text) => text && decodeURIComponent(text),
  )
  const { account = '', token = '' } = sms ?? {}
  const toBase64 = (pair: string) => (pair.length > 2 ? Buffer.from(pair).toString('base64') : '')
  return {
    accountNames: [user, account],
    // SMTP and HTTP send the name and password together as one base64 string.
    secrets: [password, token, toBase64(`\0${user}\0${password}`), toBase64(`${account}:${token}`)],
  }
}
