/** The ways out: what the operator set for the whole server, and connections that are vetted where a user names the other side. */
import type { Dispatcher } from 'undici'
import type { Config } from '../config/config.ts'

export interface Transports {
  mail: Config['mail']
  telegramApi: string
  sms: Config['sms']
  /** For addresses that a user gave. */
  guarded: Dispatcher
  /** For addresses that the operator gave. */
  plain: Dispatcher
}

type Needs = Pick<Config, 'mail' | 'telegramApi' | 'sms' | 'privateTargets'>

/** Messages are few and far between: a connection is not worth keeping for long. */
const KEEP_MS = 4_000

export interface OpenTransports extends Transports {
  close(): Promise<void>
}

/** Loads what it needs only now: it takes 10 MB, and many servers never send anything. */
export async function openTransports(config: Needs, timeoutMs: number): Promise<OpenTransports> {
  const [{ Agent }, { Guard }, { connectorOf }] = await Promise.all([
    import('undici'),
    import('../outgoing/guard.ts'),
    import('../outgoing/connector.ts'),
  ])
  const guard = new Guard(config.privateTargets)
  const guarded = new Agent({ connect: connectorOf(guard, { timeoutMs }), keepAliveTimeout: KEEP_MS })
  const plain = new Agent({ connect: { timeout: timeoutMs }, keepAliveTimeout: KEEP_MS })
  return {
    mail: config.mail,
    telegramApi: config.telegramApi,
    sms: config.sms,
    guarded,
    plain,
    close: async () => {
      await Promise.all([guarded.destroy(), plain.destroy()])
    },
  }
}
