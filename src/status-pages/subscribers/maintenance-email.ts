/** The email about a planned maintenance. */
import { formatLocalTime } from '../../lib/local-time.ts'
import { toVisibleLine } from '../../lib/text.ts'
import { formatBand, formatButtons, formatFactTable, formatHeading, formatParagraph } from '../../mail/parts.ts'
import { MAX_MAINTENANCE_TITLE_LENGTH } from '../../shared/maintenances.ts'
import { MAX_PAGE_TITLE_LENGTH } from '../../shared/status-pages.ts'
import type { StatusEmailParts } from './compose-email.ts'
import type { MaintenanceContent, Recipient } from './content-store.ts'

export function writeMaintenance(
  { page }: Recipient,
  maintenance: MaintenanceContent,
  pageUrl: string,
): StatusEmailParts {
  const { note, startsAt, endsAt, isRecurring, labels } = maintenance
  const pageTitle = toVisibleLine(page.title, MAX_PAGE_TITLE_LENGTH)
  const title = toVisibleLine(maintenance.title, MAX_MAINTENANCE_TITLE_LENGTH)
  const facts = [
    { label: 'Begins', value: formatLocalTime(startsAt, page.timeZone) },
    { label: 'Ends', value: formatLocalTime(endsAt, page.timeZone) },
    ...(isRecurring ? [{ label: 'Repeats', value: 'Yes. The status page shows the next dates.' }] : []),
    { label: 'Affected', value: labels.join(', ') },
  ]
  return {
    subject: `${pageTitle}: planned maintenance (${title})`,
    preview: `Begins ${formatLocalTime(startsAt, page.timeZone)}`,
    category: pageTitle,
    bandHtml: formatBand('accent', 'Planned maintenance'),
    contentHtml: [
      formatHeading(title, 'margin-bottom:12px'),
      ...(note ?? '')
        .split(/\n+/)
        .filter(Boolean)
        .map((line) => formatParagraph(line)),
      formatFactTable(facts),
      formatButtons([{ label: 'View status page', url: pageUrl }]),
    ].join(''),
    text: [
      `Planned maintenance: ${title}`,
      ...(note ? [note] : []),
      facts.map(({ label, value }) => `${label}: ${value}`).join('\n'),
      `Status page: ${pageUrl}`,
    ].join('\n\n'),
  }
}
