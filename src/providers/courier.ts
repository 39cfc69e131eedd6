/** Brings a message to a provider: in time or not at all, and without giving a secret away when it fails. */
import type { Config } from '../config/config.ts'
import { shorten } from '../lib/shorten.ts'
import { type Letter, sendLetter } from './kinds/email.ts'
import { kindOf, type ProviderType } from './kinds.ts'
import { DeliveryError, type Message, type Settings } from './provider.ts'
import { redact } from './redact.ts'
import { type OpenTransports, openTransports } from './transports.ts'

/** For the whole of one attempt: name, connection, answer. */
const ATTEMPT_MS = 10_000
/** Less, so that an address at which nobody is can be told from a service that does not answer. */
const CONNECT_MS = 7_000
/** Of what the other side said. */
const SHOWN_CHARACTERS = 200

export interface Addressee {
  type: ProviderType
  settings: Settings
}

export class Courier {
  readonly #config: Config
  #transports: Promise<OpenTransports> | undefined
  readonly #operator: ReturnType<typeof loginsOf>
  readonly #stopping = new AbortController()

  constructor(config: Config) {
    this.#config = config
    this.#operator = loginsOf(config)
  }

  /** Resolves with what the other side said; rejects with a DeliveryError. */
  async deliver({ type, settings }: Addressee, message: Message): Promise<string> {
    const kind = kindOf(type)
    const own = Object.entries(kind.fields).flatMap(([name, { secret }]) => (secret ? [settings[name] ?? ''] : []))
    this.#transports ??= openTransports(this.#config, CONNECT_MS)
    const transports = await this.#transports
    return this.#attempt(own, (signal) => kind.send(settings, message, { transports, signal }))
  }

  /** A letter of this server's own to one of its users. As `deliver`. */
  post(letter: Letter): Promise<string> {
    return this.#attempt([], (signal) => sendLetter(this.#config.mail, letter, signal))
  }

  async #attempt(secrets: readonly string[], send: (signal: AbortSignal) => Promise<string>): Promise<string> {
    const { names, secrets: logins } = this.#operator
    const shown = (said: string) => cut(redact(said, [...secrets, ...logins], names))
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(ATTEMPT_MS)])
    try {
      return shown(await send(signal))
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      if (this.#stopping.signal.aborted) {
        throw new DeliveryError('This server is stopping', { uncertain: true, cutOff: true })
      }
      throw new DeliveryError(error.message, { ...error, said: shown(error.said) })
    }
  }

  /** Ends what is under way: it is told that this server is stopping. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await (await this.#transports)?.close()
  }
}

/** Not before the secrets are out: half of one would not be known for it. */
function cut(said: string): string {
  return said.length > SHOWN_CHARACTERS ? `${shorten(said, SHOWN_CHARACTERS)}…` : said
}

/** The operator's: no user may see them. */
function loginsOf({ mail, sms }: Config): { names: string[]; secrets: string[] } {
  const login = mail && new URL(mail.url)
  const [user = '', password = ''] = [login?.username, login?.password].map((text) => text && decodeURIComponent(text))
  const { account = '', token = '' } = sms ?? {}
  const base64 = (pair: string) => (pair.length > 2 ? Buffer.from(pair).toString('base64') : '')
  return {
    names: [user, account],
    // The pairs as they are sent.
    secrets: [password, token, base64(`\0${user}\0${password}`), base64(`${account}:${token}`)],
  }
}
