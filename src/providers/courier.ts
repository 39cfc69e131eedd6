/** Brings a message to a provider: in time or not at all, and without giving a secret away when it fails. */
import type { Config } from '../config.ts'
import { kindOf, type ProviderType } from './kinds.ts'
import { DeliveryError, type Message, type Settings } from './provider.ts'
import { redact } from './redact.ts'
import { openTransports } from './transports.ts'

/** For the whole of one attempt: name, connection, answer. */
const ATTEMPT_MS = 10_000
/** Of what the other side said. */
const SHOWN_CHARACTERS = 200

export interface Addressee {
  type: ProviderType
  settings: Settings
}

export class Courier {
  readonly #transports: ReturnType<typeof openTransports>
  /** The operator's: no user may see them. */
  readonly #operatorSecrets: string[]
  readonly #stopping = new AbortController()

  constructor(config: Config) {
    this.#transports = openTransports(config, ATTEMPT_MS)
    this.#operatorSecrets = operatorSecrets(config)
  }

  /** Resolves with what the other side said; rejects with a DeliveryError. */
  async deliver({ type, settings }: Addressee, message: Message): Promise<string> {
    const kind = kindOf(type)
    const own = Object.entries(kind.fields).flatMap(([name, { secret }]) => (secret ? [settings[name] ?? ''] : []))
    const secrets = [...own, ...this.#operatorSecrets]
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(ATTEMPT_MS)])
    try {
      return shown(await kind.send(settings, message, { transports: this.#transports, signal }), secrets)
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      if (this.#stopping.signal.aborted) throw new DeliveryError('This server is stopping', { uncertain: true })
      const { message: summary, said, permanent, uncertain } = error
      throw new DeliveryError(redact(summary, secrets), { said: shown(said, secrets), permanent, uncertain })
    }
  }

  /** Ends what is under way: it is told that this server is stopping. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#transports.close()
  }
}

/** Only now is it shortened: half a secret would not be known for one. */
function shown(said: string, secrets: readonly string[]): string {
  const characters = [...redact(said, secrets)]
  return characters.length > SHOWN_CHARACTERS
    ? `${characters.slice(0, SHOWN_CHARACTERS).join('')}…`
    : characters.join('')
}

function operatorSecrets({ mail, sms }: Config): string[] {
  const login = mail && new URL(mail.url)
  const [user = '', password = ''] = [login?.username, login?.password].map((text) => text && decodeURIComponent(text))
  // The pairs as they are sent: in base64, only a part of which would be known by the parts of the pair.
  const ofMail = [user, password, `\0${user}\0${password}`]
  return [...ofMail, ...(sms === undefined ? [] : [sms.account, sms.token, `${sms.account}:${sms.token}`])]
}
