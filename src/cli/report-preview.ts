import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '../lib/clock.ts'
import { isDay } from '../lib/local-day.ts'
import { createLog } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { type Command, type Invocation, UsageError } from './command.ts'
import { writeAtomically } from './target-file.ts'
import { withDatabase } from './with-database.ts'

/** Nobody is unsubscribed by a preview that is passed around. */
const NO_TOKEN = 'preview'

export const reportPreview: Command = {
  name: 'report preview',
  summary: 'write the weekly report of a website to a file',
  usage: 'report preview <domain> [--week <day>] [--out <file>]',
  details: [
    '  The latest week that is over, unless --week names a day of another, such as 2026-01-05. The HTML is written to',
    '  report-<domain>.html unless --out gives a name, and the text beside it. What is there is replaced. Nothing is sent.',
  ].join('\n'),
  options: { week: { type: 'string' }, out: { type: 'string' } },
  maxArguments: 1,
  async run(invocation) {
    const { domain, name, subject, html, text } = await compose(invocation)
    const path = resolve(String(invocation.options['out'] ?? `report-${domain}.html`))
    const textPath = `${path.replace(/\.html?$/i, '')}.txt`
    await write(path, html)
    await write(textPath, text)
    invocation.out(`${subject}\nWrote the report of ${name} to ${path}\nand as text to ${textPath}`)
    return 0
  },
}

async function write(path: string, text: string): Promise<void> {
  await writeAtomically({ path, force: true }, (to) => pipeline([text], to))
}

function dayOf({ week }: Invocation['options']): string | undefined {
  if (week === undefined) return undefined
  if (typeof week === 'string' && isDay(week)) return week
  throw new UsageError(`--week takes a day such as 2026-01-05, not "${week}".`)
}

async function compose(invocation: Invocation) {
  const { config, positionals, options } = invocation
  const [given] = positionals
  if (given === undefined) throw new UsageError('Of which website? Give its domain.')
  const day = dayOf(options)
  // Loaded here: the other commands are there sooner without.
  const [{ previewReport }, { Rollup }, { Statistics }] = await Promise.all([
    import('../traffic/reports/preview.ts'),
    import('../traffic/rollup/rollup.ts'),
    import('../traffic/stats/statistics.ts'),
  ])
  return withDatabase(invocation, async (db) => {
    const rollup = new Rollup({ db, log: createLog('warn', process.stderr) })
    const statistics = new Statistics({ db, clock: systemClock, rollup })
    const found = await previewReport(
      { db, statistics, clock: systemClock, url: config.url },
      { given, day, token: NO_TOKEN },
    )
    if (found === undefined) throw new Problem('not_found', `There is no website ${given}.`)
    return found
  })
}
