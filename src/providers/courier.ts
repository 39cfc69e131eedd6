/** Brings a message to a provider: in time or not at all, and without giving a secret away when it fails. */
import type { Config } from '../config.ts'
import { kindOf, type ProviderType } from './kinds.ts'
import { DeliveryError, type Message, type Settings } from './provider.ts'
import { redact } from './redact.ts'
import { openTransports } from './transports.ts'

/** For the whole of one attempt: name, connection, answer. */
const ATTEMPT_MS = 10_000

export interface Addressee {
  type: ProviderType
  settings: Settings
}

export class Courier {
  readonly #transports: ReturnType<typeof openTransports>
  /** The operator's: no user may see them. */
  readonly #operatorSecrets: string[]

  constructor(config: Config) {
    this.#transports = openTransports(config, ATTEMPT_MS)
    const { mail, sms } = config
    const login = mail && new URL(mail.url)
    const texts = [login?.username, login?.password, sms?.account, sms?.token, sms && `${sms.account}:${sms.token}`]
    this.#operatorSecrets = texts.filter((text) => text !== undefined).map(decoded)
  }

  /** Resolves with what the other side said; rejects with a DeliveryError. */
  async deliver({ type, settings }: Addressee, message: Message): Promise<string> {
    const kind = kindOf(type)
    const own = Object.entries(kind.fields).flatMap(([name, { secret }]) => (secret ? [settings[name] ?? ''] : []))
    const secrets = [...own, ...this.#operatorSecrets]
    const means = { transports: this.#transports, signal: AbortSignal.timeout(ATTEMPT_MS) }
    try {
      return redact(await kind.send(settings, message, means), secrets)
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      const { permanent, uncertain } = error
      throw new DeliveryError(redact(error.message, secrets), { permanent, uncertain })
    }
  }

  close(): Promise<void> {
    return this.#transports.close()
  }
}

/** As it was before it became part of a URL. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
