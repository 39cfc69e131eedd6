/** Turns a weekly report into an email. */

import type { Email } from '../channels/kinds/email.ts'
import type { Config } from '../config/config.ts'
import type { Secret } from '../lib/secret.ts'
import { createUnsubscribeHeaders } from '../mail/unsubscribe-headers.ts'
import { formatReportHtml } from './html.ts'
import { createReportLinks } from './links.ts'
import type { ReportMessage } from './outbox-store.ts'
import { gatherReport, type ReportDeps } from './report.ts'
import { formatSubject } from './sentences.ts'
import { formatReportText } from './text.ts'
import { createUnsubscribeToken } from './unsubscribe.ts'

interface Deps extends ReportDeps {
  config: Pick<Config, 'url'>
  secret: Secret
}

export async function composeReportEmail(deps: Deps, { site, week, to, messageId }: ReportMessage): Promise<Email> {
  const report = await gatherReport(deps, site, week)
  const links = createReportLinks(deps.config.url, report, createUnsubscribeToken(deps.secret, site.id))
  return {
    id: messageId,
    to,
    subject: formatSubject(report),
    text: formatReportText(report, links),
    html: formatReportHtml(report, links),
    headers: createUnsubscribeHeaders(links?.unsubscribe),
  }
}
