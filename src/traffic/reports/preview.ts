/** A report as it would be sent, for somebody who wants to see it. */
import type { Clock } from '../../lib/clock.ts'
import { Problem } from '../../lib/problem.ts'
import { readDomain } from '../../websites/domain.ts'
import { htmlOf } from './html.ts'
import { linksOf } from './links.ts'
import { gatherReport, type ReportNeeds } from './report.ts'
import { subjectOf } from './sentences.ts'
import { findSiteByDomain } from './store.ts'
import { textOf } from './text.ts'
import { lastWeek, mondayOf, windowOfWeek } from './week.ts'
import { formatWeek } from './words.ts'

interface Needs extends ReportNeeds {
  clock: Clock
  url: string | undefined
}

interface Wish {
  /** A domain as somebody typed it. */
  given: string
  /** Of the week; undefined for the latest that is over. */
  day: string | undefined
  /** Stands where a letter has that of its website. */
  token: string
}

export interface Preview {
  domain: string
  name: string
  subject: string
  html: string
  text: string
}

/** undefined: there is no such website. */
export async function previewReport(needs: Needs, { given, day, token }: Wish): Promise<Preview | undefined> {
  const read = readDomain(given)
  const site = 'value' in read ? await findSiteByDomain(needs.db, read.value.domain) : undefined
  if (site === undefined) return undefined
  const now = needs.clock.now()
  const latest = lastWeek(site.timeZone, now)
  const week = day === undefined ? latest : mondayOf(day)
  if (windowOfWeek(site.timeZone, week).from > now) {
    throw new Problem('conflict', `The week of ${formatWeek(week)} has not begun yet.`)
  }
  const gathered = await gatherReport(needs, site, week)
  const report = week === latest ? gathered : { ...gathered, when: `in the week of ${formatWeek(week)}` }
  const links = linksOf(needs.url, site.domain, token)
  return {
    domain: site.domain,
    name: report.name,
    subject: subjectOf(report),
    html: htmlOf(report, links),
    text: textOf(report, links),
  }
}
