/** Whether messages can leave this server, and where its users may have it connect to. */
import type { ClientBase } from 'pg'
import type { Config } from '../../config/config.ts'
import { greetMailServer } from '../../providers/kinds/email.ts'
import { DeliveryError } from '../../providers/provider.ts'
import { advice, broken, type Finding, ok } from './finding.ts'
import { countWantedReports } from './store.ts'

const PATIENCE_MS = 10_000

export async function checkTransports({ mail, sms }: Config): Promise<Finding[]> {
  return [
    mail === undefined ? ok('E-mail is not set up (BELFRY_SMTP_URL, BELFRY_MAIL_FROM).') : await checkMail(mail),
    ok(
      sms === undefined
        ? 'SMS is not set up (BELFRY_SMS_URL and others).'
        : `SMS goes through ${new URL(sms.url).host}.`,
    ),
  ]
}

async function checkMail(mail: NonNullable<Config['mail']>): Promise<Finding> {
  const { host } = new URL(mail.url)
  try {
    await greetMailServer(mail, AbortSignal.timeout(PATIENCE_MS))
    return ok(`E-mail goes through ${host}, as ${mail.from}.`)
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return broken(`E-mail cannot be sent through ${host}: ${error.sentence}`, 'Mend BELFRY_SMTP_URL.')
  }
}

export async function checkPrivateTargets({ privateTargets: { all, ranges } }: Config): Promise<Finding[]> {
  const opened = [...(all ? ['all'] : []), ...ranges]
  if (opened.length === 0) return [ok('Users cannot have it connect to private addresses.')]
  return [ok(`Users can have it connect to private addresses: ${opened.join(', ')} (BELFRY_PRIVATE_TARGETS).`)]
}

/** Nothing to say where they can be sent with all that belongs to them, or nobody wants one. */
export async function checkReports(client: ClientBase, { mail, url }: Config): Promise<Finding[]> {
  if (mail !== undefined && url?.startsWith('https:')) return []
  const wanted = await countWantedReports(client)
  if (wanted === 0) return []
  if (mail !== undefined) {
    const why = url === undefined ? 'BELFRY_URL is not set' : 'BELFRY_URL does not begin with https'
    return [
      advice(`Weekly reports cannot be switched off with one click: ${why}.`, 'Set it to an https address (RFC 8058).'),
    ]
  }
  const who = wanted === 1 ? 'A website wants a weekly report' : `${wanted} websites want a weekly report`
  return [advice(`${who}, and there is no mail server.`, 'Set BELFRY_SMTP_URL and BELFRY_MAIL_FROM.')]
}
