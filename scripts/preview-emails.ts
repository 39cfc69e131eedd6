/** Writes every email with sample content to a folder, so that you can review changes of their design in a browser. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatMessageEmailHtml, formatMessageEmailText } from '../src/channels/common/message-html.ts'
import { embedMark } from '../src/mail/mark.ts'
import { formatReportHtml } from '../src/reports/html.ts'
import { createReportLinks } from '../src/reports/links.ts'
import { formatReportText } from '../src/reports/text.ts'
import { quietReport, sampleReport } from '../tests/support/report-week.ts'
import { createSampleMessages, createSampleSummary, sampleImpact } from '../tests/support/sample-messages.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('Missing argument: the folder to write to. Usage: node scripts/preview-emails.ts <folder>')
  process.exit(1)
}

const links = createReportLinks('https://stats.example.org', sampleReport, 'preview')
const reports = { report: sampleReport, 'report-quiet': quietReport, 'report-new': { ...quietReport, isNew: true } }
const measuredImpact = { impact: sampleImpact, visitors: 'gone' } as const
const trafficMessages = createSampleMessages({
  friendlyName: 'example.com',
  url: 'https://example.com/',
  type: 'traffic',
  detail: 'No visits, although the home page responds',
  diagnosis: 'site_silent',
  detectedAfterMinutes: 42,
  minutes: 190,
  impact: { ...sampleImpact, visits_seen: 0 },
})
const messages = {
  ...createSampleMessages(measuredImpact),
  'down-confirmed': createSampleMessages({
    impact: { ...sampleImpact, visits_seen: 11, visits_expected: 12 },
    visitors: 'normal',
  }).down,
  spike: trafficMessages.spike,
  silence: trafficMessages.down,
  'silence-reminder': trafficMessages.reminder,
  'silence-recovered': trafficMessages.recovered,
  summary: createSampleSummary(),
}
const emails = [
  ...Object.entries(messages).map(([name, message]) => ({
    name,
    html: formatMessageEmailHtml(message),
    text: formatMessageEmailText(message),
  })),
  ...Object.entries(reports).map(([name, report]) => ({
    name,
    html: formatReportHtml(report, links),
    text: formatReportText(report, links),
  })),
]

await mkdir(folder, { recursive: true })
for (const { name, html, text } of emails) {
  await writeFile(join(folder, `${name}.html`), embedMark(html))
  await writeFile(join(folder, `${name}.txt`), text)
}
console.log(`Wrote ${emails.length} emails to ${folder}.`)
