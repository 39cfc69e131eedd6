import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '../lib/clock.ts'
import { isDay } from '../lib/local-day.ts'
import { createLog } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { applySettingRows } from '../server-settings/command-settings.ts'
import { readSettingRows } from '../server-settings/store.ts'
import { parseDomain } from '../websites/domain.ts'
import { type Command, type Invocation, UsageError } from './common/command.ts'
import { openAndSwitchToOwner } from './common/open-files.ts'
import { OpenTargetFile } from './common/target-file.ts'
import { withDatabase } from './common/with-database.ts'

/** An invalid token, so that nobody can unsubscribe with the link in a shared preview. */
const PREVIEW_TOKEN = 'preview'

export const reportPreview: Command = {
  name: 'report preview',
  summary: 'write the weekly report of a website to a file',
  usage: 'report preview <domain> [--week <day>] [--out <file>]',
  details: [
    '  Shows the last complete week, or the week that contains the day given with --week, such as 2026-01-05. Writes the',
    '  HTML version to report-<domain>.html or to the file given with --out, and the text version next to it. Existing',
    '  files are replaced. Nothing is sent.',
  ].join('\n'),
  options: { week: { type: 'string' }, out: { type: 'string' } },
  maxArguments: 1,
  switchesToOwner: 'later',
  async run(invocation) {
    const [domain] = invocation.positionals
    if (domain === undefined) throw new UsageError('Missing argument: <domain>')
    const day = parseWeekOption(invocation.options)
    const parsed = parseDomain(domain)
    if (!('value' in parsed)) throw new Problem('not_found', `No website with the domain ${domain}.`)
    const path = resolve(String(invocation.options['out'] ?? `report-${parsed.value.domain}.html`))
    const textPath = `${path.replace(/\.html?$/i, '')}.txt`
    const [htmlFile, textFile] = await openAndSwitchToOwner(invocation, [path, textPath], (losesRights) =>
      openBoth(path, textPath, losesRights),
    )
    try {
      const { name, subject, html, text } = await composePreview(invocation, domain, day)
      await htmlFile.write((to) => pipeline([html], to))
      await textFile.write((to) => pipeline([text], to))
      invocation.out(`${subject}\nWrote the weekly report for ${name} to ${path}\nand its text version to ${textPath}`)
    } finally {
      await htmlFile.close()
      await textFile.close()
    }
    return 0
  },
}

async function openBoth(path: string, textPath: string, losesRights: boolean) {
  const htmlFile = await OpenTargetFile.open({ path, force: true }, losesRights)
  try {
    return [htmlFile, await OpenTargetFile.open({ path: textPath, force: true }, losesRights)] as const
  } catch (error) {
    await htmlFile.close()
    throw error
  }
}

function parseWeekOption({ week }: Invocation['options']): string | undefined {
  if (week === undefined) return undefined
  if (typeof week === 'string' && isDay(week)) return week
  throw new UsageError(`--week must be a date such as 2026-01-05, not "${week}".`)
}

async function composePreview(invocation: Invocation, domain: string, day: string | undefined) {
  // These modules are loaded on demand, so that other commands start faster.
  const [{ previewReport }, { Rollup }, { Statistics }, { TrafficThreads }] = await Promise.all([
    import('../reports/preview.ts'),
    import('../traffic/rollup/rollup.ts'),
    import('../traffic/stats/statistics.ts'),
    import('../traffic/threads/traffic-threads.ts'),
  ])
  return withDatabase(invocation, async (db) => {
    const threads = new TrafficThreads()
    const rollup = new Rollup({ db, log: createLog('warn', process.stderr), threads })
    const statistics = new Statistics({ db, clock: systemClock, rollup, threads })
    const { config } = await applySettingRows(invocation.config, await readSettingRows(db))
    const preview = await previewReport(
      { db, statistics, clock: systemClock, url: config.url },
      { domain, day, token: PREVIEW_TOKEN },
    )
    if (preview === undefined) throw new Problem('not_found', `No website with the domain ${domain}.`)
    return preview
  })
}
