/** Creates and stops the outboxes, which send stored messages. Only workers have them; other processes only store messages. */
import { type AlertOutbox, createAlertOutbox } from '../alerts/outbox.ts'
import { waitAtMost } from '../lib/clock.ts'
import { createReportOutbox, type ReportOutbox } from '../reports/outbox.ts'
import { createStatusMessageOutbox, type StatusMessageOutbox } from '../status-pages/subscribers/message-outbox.ts'
import type { Services } from './services.ts'

/**
 * If a stopping server didn't wait for the response to a message, it would send the message again after the restart. So it waits this
 * long for responses, and then interrupts the attempts. An attempt can take 10 s, which is too long for a stop.
 */
const DELIVERY_GRACE_MS = 6_500
/** How long storing the results of interrupted attempts may take. */
const SETTLE_GRACE_MS = 500

type Deps = Pick<
  Services,
  | 'clock'
  | 'config'
  | 'db'
  | 'lease'
  | 'log'
  | 'messageSender'
  | 'metrics'
  | 'rollup'
  | 'secret'
  | 'statistics'
  | 'triggerJob'
>

interface Outboxes {
  alertOutbox: AlertOutbox | undefined
  reportOutbox: ReportOutbox | undefined
  statusMessageOutbox: StatusMessageOutbox | undefined
}

export function createOutboxes(deps: Deps): Outboxes {
  const { config, lease, triggerJob } = deps
  if (!config.roles.has('worker'))
    return { alertOutbox: undefined, reportOutbox: undefined, statusMessageOutbox: undefined }
  const claimant = lease.createClaimant()
  return {
    alertOutbox: createAlertOutbox({ ...deps, claimant, onReady: () => triggerJob('send alerts') }),
    reportOutbox: createReportOutbox({ ...deps, claimant, onReady: () => triggerJob('send weekly reports') }),
    statusMessageOutbox: createStatusMessageOutbox({
      ...deps,
      claimant,
      onReady: () => triggerJob('send messages to subscribers'),
    }),
  }
}

/**
 * Waits for all outboxes before it stops the message sender, because they share it with each other and with test
 * notifications.
 */
export async function stopOutboxes(
  {
    alertOutbox,
    reportOutbox,
    statusMessageOutbox,
    messageSender,
  }: Partial<Outboxes> & Pick<Services, 'messageSender'>,
  { deliveryGraceMs = DELIVERY_GRACE_MS } = {},
): Promise<void> {
  const maxMs = deliveryGraceMs + SETTLE_GRACE_MS
  const outboxes = [alertOutbox, reportOutbox, statusMessageOutbox]
  const areDone = Promise.all(outboxes.map((outbox) => outbox?.stop(maxMs))).then(() => true)
  if (await waitAtMost(deliveryGraceMs, areDone)) return
  await messageSender.stop()
  await waitAtMost(SETTLE_GRACE_MS, areDone)
}
