/** Checks whether messages can be sent, and reports the private addresses that monitors and webhooks can connect to. */
import type { ClientBase } from 'pg'
import { MAX_DELIVERY_DELAY_MS } from '../../alerts/delivery-health.ts'
import { verifyMailServer } from '../../channels/kinds/email.ts'
import type { Config } from '../../config/config.ts'
import { DeliveryError } from '../../outbox/delivery-error.ts'
import { type DoctorDiagnosis, failure, ok, warning } from './diagnosis.ts'
import { countEnabledReports, readOverdueAlerts } from './store.ts'

const MAIL_TIMEOUT_MS = 10_000

/** Connects to the mail server and logs in. Returns why it doesn't work, or undefined. */
export async function findMailServerProblem({ mail }: Config): Promise<string | undefined> {
  if (mail === undefined) return undefined
  try {
    await verifyMailServer(mail, AbortSignal.timeout(MAIL_TIMEOUT_MS))
    return undefined
  } catch (error) {
    if (error instanceof DeliveryError) return error.sentence
    throw error
  }
}

export function describeTransports({ mail, sms }: Config, mailError: string | undefined): DoctorDiagnosis[] {
  return [
    mail === undefined
      ? ok('Email: not configured (BELFRY_SMTP_URL, BELFRY_MAIL_FROM).')
      : describeMail(mail, mailError),
    ok(
      sms === undefined
        ? 'SMS: not configured (BELFRY_SMS_URL and others).'
        : `SMS: sent through ${new URL(sms.url).host}.`,
    ),
  ]
}

function describeMail({ url, from }: NonNullable<Config['mail']>, mailError: string | undefined): DoctorDiagnosis {
  const { host } = new URL(url)
  if (mailError === undefined) return ok(`Email: sent through ${host}, from ${from}.`)
  const hint = mailError.includes('certificate')
    ? ' To accept any certificate, add ?tls.rejectUnauthorized=false to BELFRY_SMTP_URL.'
    : ''
  return failure(
    `Email: can't be sent through ${host}. ${mailError}`,
    `Check BELFRY_SMTP_URL, or the mail server under Account → Server settings.${hint}`,
  )
}

export async function checkPrivateTargets({
  privateTargets: { allowsAll, ranges },
}: Config): Promise<DoctorDiagnosis[]> {
  const allowedTargets = [...(allowsAll ? ['all'] : []), ...ranges]
  if (allowedTargets.length === 0) return [ok("Private addresses: monitors and webhooks can't connect to them.")]
  return [
    ok(
      `Private addresses: monitors and webhooks can connect to ${allowedTargets.join(', ')} (BELFRY_PRIVATE_TARGETS).`,
    ),
  ]
}

/** Reports alerts that no node has begun to send. An alert that is late because its receiver fails is not reported. */
export async function checkDelivery(client: ClientBase): Promise<DoctorDiagnosis[]> {
  const overdue = await readOverdueAlerts(client, new Date(Date.now() - MAX_DELIVERY_DELAY_MS))
  if (overdue === undefined || overdue.firstDueAt === null) return []
  const { channelCount, firstDueAt } = overdue
  const channels = channelCount === 1 ? '1 notification channel' : `${channelCount} notification channels`
  return [
    failure(
      `Alerts: not sent to ${channels}. One has been due since ${firstDueAt.toISOString()}, and no node has begun to send it.`,
      'Start a server with the role worker, or check its log and load, and those of PostgreSQL.',
    ),
  ]
}

/** Reports that weekly reports can't be sent, or that they have no link to unsubscribe with one click. */
export async function checkReports(client: ClientBase, { mail, url }: Config): Promise<DoctorDiagnosis[]> {
  if (mail !== undefined && url?.startsWith('https:')) return []
  const websiteCount = await countEnabledReports(client)
  if (websiteCount === 0) return []
  if (mail !== undefined) {
    const reason = url === undefined ? 'the public URL is not set' : "the public URL doesn't start with https"
    return [
      warning(`Weekly reports: no one-click unsubscribe, because ${reason}.`, 'Set it to an https address (RFC 8058).'),
    ]
  }
  const websites = websiteCount === 1 ? '1 website' : `${websiteCount} websites`
  return [
    warning(
      `Weekly reports: turned on for ${websites}, but no mail server is configured.`,
      'Set BELFRY_SMTP_URL and BELFRY_MAIL_FROM.',
    ),
  ]
}
