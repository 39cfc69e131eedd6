/** How messages leave the server: the operator's mail and SMS accounts, and HTTP connections. */
import type { Dispatcher } from 'undici'
import type { Config } from '../../config/config.ts'

export interface Transports {
  mail: Config['mail']
  telegramApi: string
  pushoverApi: string
  pagerdutyApi: string
  sms: Config['sms']
  /** Sends to URLs from users. Connects only to addresses that `Guard` allows. */
  guardedAgent: Dispatcher
  /** Sends to URLs from the operator. */
  unguardedAgent: Dispatcher
}

type TransportConfig = Pick<Config, 'mail' | 'telegramApi' | 'pushoverApi' | 'pagerdutyApi' | 'sms' | 'privateTargets'>

/** Messages are rare, so idle connections are closed soon. */
const KEEP_ALIVE_MS = 4_000

export interface OpenTransports extends Transports {
  close(): Promise<void>
}

/** Loads undici on first use: it takes 10 MB, and many servers never send anything. */
export async function openTransports(config: TransportConfig, timeoutMs: number): Promise<OpenTransports> {
  const [{ Agent }, { Guard }, { createConnector }] = await Promise.all([
    import('undici'),
    import('../../outgoing/guard.ts'),
    import('../../outgoing/connector.ts'),
  ])
  const guard = new Guard(config.privateTargets)
  const guardedAgent = new Agent({ connect: createConnector(guard, { timeoutMs }), keepAliveTimeout: KEEP_ALIVE_MS })
  const unguardedAgent = new Agent({ connect: { timeout: timeoutMs }, keepAliveTimeout: KEEP_ALIVE_MS })
  return {
    // The mail server can change while the server runs.
    get mail() {
      return config.mail
    },
    telegramApi: config.telegramApi,
    pushoverApi: config.pushoverApi,
    pagerdutyApi: config.pagerdutyApi,
    sms: config.sms,
    guardedAgent,
    unguardedAgent,
    close: async () => {
      await Promise.all([guardedAgent.destroy(), unguardedAgent.destroy()])
    },
  }
}
