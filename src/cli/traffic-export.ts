import { resolve } from 'node:path'
import { type Command, type Invocation, UsageError } from './common/command.ts'
import { openAndSwitchToOwner } from './common/open-files.ts'
import { withDatabase } from './common/with-database.ts'
import { createRollup, getSite, readDayOption, readDomainArgument } from './traffic-site.ts'

function readFormatOption({
  options: { format = 'belfry' },
  positionals: [, path],
}: Invocation): 'belfry' | 'plausible' {
  if (format !== 'belfry' && format !== 'plausible') throw new UsageError('--format must be belfry or plausible.')
  if (format === 'plausible' && (path === undefined || path === '-')) {
    throw new UsageError('Missing argument: <folder>. The plausible format consists of ten files.')
  }
  return format
}

export const trafficExport: Command = {
  name: 'traffic export',
  summary: "export a website's traffic to CSV files",
  usage: 'traffic export <domain> [file|folder] [--format belfry|plausible]',
  details: [
    '  belfry (default): writes every event as a line of CSV. A name that ends in .gz is compressed; without a name, or with',
    '  -, the export goes to standard output. plausible: creates a folder with daily totals that Plausible can import.',
    '  --from and --to choose the first and last day, such as 2026-01-05. --force replaces an existing file.',
  ].join('\n'),
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    format: { type: 'string' },
    force: { type: 'boolean' },
  },
  maxArguments: 2,
  switchesToOwner: 'later',
  async run(invocation) {
    const domain = readDomainArgument(invocation)
    const format = readFormatOption(invocation)
    const path = invocation.positionals[1] ?? '-'
    const range = {
      from: readDayOption(invocation, 'from', '1000-01-01'),
      to: readDayOption(invocation, 'to', '9999-12-31'),
    }
    if (range.from > range.to) throw new UsageError('--from must not be after --to.')
    // This module is loaded on demand, because other commands and the server do not need it.
    const { exportPlausibleTables, exportEventFile, openExport } = await import('./traffic-export-files.ts')
    const target = await openAndSwitchToOwner(invocation, path === '-' ? [] : [resolve(path)], (losesRights) =>
      openExport({ format, path, force: invocation.options['force'] === true }, losesRights),
    )
    try {
      await withDatabase(invocation, async (db) => {
        const site = await getSite(db, domain)
        await createRollup(db).rollUpAll()
        const websiteDays = { websiteId: site.id, ...range }
        await db.snapshot((q) =>
          target.format === 'belfry'
            ? exportEventFile(q, websiteDays, target, invocation)
            : exportPlausibleTables(q, { site, websiteDays, folder: target.folder }, invocation),
        )
      })
    } finally {
      await target.close()
    }
    return 0
  },
}
