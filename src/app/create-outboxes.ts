/** Creates the outboxes, which send stored messages. Only workers have them; other processes only store messages. */
import { type AlertOutbox, createAlertOutbox } from '../alerts/alert-outbox.ts'
import { createReportOutbox, type ReportOutbox } from '../traffic/reports/report-outbox.ts'
import type { Services } from './services.ts'

type Deps = Pick<
  Services,
  'clock' | 'config' | 'db' | 'lease' | 'log' | 'messageSender' | 'metrics' | 'secret' | 'statistics' | 'triggerJob'
>

interface Outboxes {
  alertOutbox: AlertOutbox | undefined
  reportOutbox: ReportOutbox | undefined
}

export function createOutboxes(deps: Deps): Outboxes {
  const { config, lease, triggerJob } = deps
  if (!config.roles.has('worker')) return { alertOutbox: undefined, reportOutbox: undefined }
  const claimant = lease.createClaimant()
  return {
    alertOutbox: createAlertOutbox({ ...deps, claimant, onReady: () => triggerJob('send alerts') }),
    reportOutbox:
      config.mail && createReportOutbox({ ...deps, claimant, onReady: () => triggerJob('send weekly reports') }),
  }
}
