/** Composes a report without sending it. */
import { findMonday } from '../lib/local-day.ts'
import { Problem } from '../lib/problem.ts'
import { embedMark } from '../mail/mark.ts'
import { parseDomain } from '../websites/domain.ts'
import { formatWeek } from './format.ts'
import { formatReportHtml } from './html.ts'
import { createReportLinks } from './links.ts'
import { gatherReport, type ReportDeps } from './report.ts'
import { formatSubject } from './sentences.ts'
import { findSiteByDomain } from './store.ts'
import { formatReportText } from './text.ts'
import { findLastWeek, toWeekWindow } from './week.ts'

interface Deps extends ReportDeps {
  url: string | undefined
}

interface PreviewRequest {
  /** The domain as the user wrote it, not normalized. */
  domain: string
  /** Any day within the week to report, or undefined for the last complete week. */
  day: string | undefined
  /** Used in links instead of the website's unsubscribe token. */
  token: string
}

export interface ReportPreview {
  domain: string
  /** The domain in Unicode. */
  name: string
  subject: string
  html: string
  text: string
}

/** Returns undefined if there is no such website. */
export async function previewReport(deps: Deps, request: PreviewRequest): Promise<ReportPreview | undefined> {
  const parsed = parseDomain(request.domain)
  const site = 'value' in parsed ? await findSiteByDomain(deps.db, parsed.value.domain) : undefined
  if (site === undefined) return undefined
  const now = deps.clock.now()
  const lastWeek = findLastWeek(site.timeZone, now)
  const week = request.day === undefined ? lastWeek : findMonday(request.day)
  if (toWeekWindow(site.timeZone, week).from > now) {
    throw new Problem('conflict', `The week of ${formatWeek(week)} has not started yet.`)
  }
  const gatheredReport = await gatherReport(deps, site, week)
  const report = week === lastWeek ? gatheredReport : { ...gatheredReport, when: `in the week of ${formatWeek(week)}` }
  const links = createReportLinks(deps.url, report, request.token)
  return {
    domain: site.domain,
    name: report.name,
    subject: formatSubject(report),
    html: embedMark(formatReportHtml(report, links)),
    text: formatReportText(report, links),
  }
}
