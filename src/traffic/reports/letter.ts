/** A report as it is sent. */
import type { Config } from '../../config/config.ts'
import type { Secret } from '../../lib/secret.ts'
import type { Letter } from '../../providers/kinds/email.ts'
import { htmlOf } from './html.ts'
import { linksOf, unsubscribeHeaders } from './links.ts'
import type { WaitingReport } from './outbox-store.ts'
import { gatherReport, type ReportNeeds } from './report.ts'
import { subjectOf } from './sentences.ts'
import { textOf } from './text.ts'
import { unsubscribeToken } from './unsubscribe.ts'

interface Needs extends ReportNeeds {
  config: Pick<Config, 'url'>
  secret: Secret
}

export async function composeLetter(needs: Needs, { site, week, to, messageId }: WaitingReport): Promise<Letter> {
  const report = await gatherReport(needs, site, week)
  const links = linksOf(needs.config.url, site.domain, unsubscribeToken(needs.secret, site.id))
  return {
    id: messageId,
    to,
    subject: subjectOf(report),
    text: textOf(report, links),
    html: htmlOf(report, links),
    headers: unsubscribeHeaders(links),
  }
}
