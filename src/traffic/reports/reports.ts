/** Weekly reports, from the decision to the letter. */
import type { Config } from '../../config/config.ts'
import { keepDeciding } from './decide.ts'
import { ReportDelivery, type ReportDeliveryNeeds } from './delivery.ts'
import { isAnyWanted } from './store.ts'

export interface KeepReportsNeeds extends ReportDeliveryNeeds {
  config: Pick<Config, 'url' | 'mail'>
}

export function keepReports(needs: KeepReportsNeeds): { start(): Promise<void>; stop(): Promise<void> } {
  const { config, db, log } = needs
  const delivery = config.mail && new ReportDelivery(needs)
  const deciding = keepDeciding({ ...needs, onReports: () => void delivery?.run() })
  return {
    async start() {
      if (config.mail === undefined && (await isAnyWanted(db).catch(() => false))) {
        log.warn({}, 'weekly reports wait for a mail server: BELFRY_SMTP_URL and BELFRY_MAIL_FROM are not set')
      }
      // First: what waits of earlier weeks is not sent when there is a later one.
      await deciding.start()
      await delivery?.start()
    },
    async stop() {
      await Promise.all([deciding.stop(), delivery?.stop()])
    },
  }
}
