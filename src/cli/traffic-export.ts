import { type Command, type Invocation, UsageError } from './command.ts'
import { createRollup, getSite, readDayOption, readDomainArgument } from './traffic-site.ts'
import { withDatabase } from './with-database.ts'

function formatOf({ options: { format = 'belfry' }, positionals: [, name] }: Invocation): 'belfry' | 'plausible' {
  if (format !== 'belfry' && format !== 'plausible') throw new UsageError('--format must be belfry or plausible.')
  if (format === 'plausible' && (name === undefined || name === '-')) {
    throw new UsageError("Plausible's format is ten files: give the name of a new folder for them.")
  }
  return format
}

export const trafficExport: Command = {
  name: 'traffic export',
  summary: 'write the traffic of a website into files',
  usage: 'traffic export <domain> [file] [--format belfry|plausible]',
  details: [
    '  belfry: every event as a line of CSV, packed where the name ends in .gz; without a name, or as -, to standard output.',
    '  plausible: a new folder of files that Plausible can import, with totals by day. --from and --to are the first and the',
    '  last day to write, such as 2026-01-05. --force replaces a file that is there.',
  ].join('\n'),
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    format: { type: 'string' },
    force: { type: 'boolean' },
  },
  maxArguments: 2,
  async run(invocation) {
    const domain = readDomainArgument(invocation)
    const format = formatOf(invocation)
    const name = invocation.positionals[1] ?? '-'
    const range = {
      from: readDayOption(invocation, 'from', '1000-01-01'),
      to: readDayOption(invocation, 'to', '9999-12-31'),
    }
    if (range.from > range.to) throw new UsageError('--from must not be after --to.')
    await withDatabase(invocation, async (db) => {
      const site = await getSite(db, domain)
      await createRollup(db).rollUpAll()
      const days = { websiteId: site.id, ...range }
      // Imported only here: a server has no use for it, and little memory.
      const { writeEvents, writeTables } = await import('./traffic-export-files.ts')
      await db.snapshot((q) =>
        format === 'belfry' ? writeEvents(q, days, name, invocation) : writeTables(q, site, days, name, invocation),
      )
    })
    return 0
  },
}
