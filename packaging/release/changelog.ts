/** Reads CHANGELOG.md, and turns its unreleased changes into the section of a release. */
import type { MigrationNote } from '../../src/upgrade/migration-notes.ts'

const UNRELEASED = 'Unreleased'

/** Returns the text below a heading of the second level, such as "Unreleased". undefined if there is no such heading. */
export function findChangelogSection(changelog: string, title: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((text) => /^[^\n(]*/.exec(text)?.[0].trim() === title)
  return section?.slice(section.indexOf('\n')).trim()
}

export const hasUnreleasedChanges = (changelog: string) =>
  /^- /m.test(findChangelogSection(changelog, UNRELEASED) ?? '')

interface ReleaseEntry {
  version: string
  /** A date such as 2026-11-16. */
  date: string
  migrations: readonly MigrationNote[]
}

/** Puts version, date and migrations above the unreleased changes, and starts an empty section for later changes. */
export function dateChangelog(changelog: string, { version, date, migrations }: ReleaseEntry): string {
  const heading = `## ${UNRELEASED}\n`
  if (!changelog.includes(heading)) throw new Error(`CHANGELOG.md has no heading "${heading.trim()}".`)
  const migrationSection =
    migrations.length === 0 ? '' : `\n### Migrations\n${migrations.map(formatMigration).join('')}`
  return changelog.replace(heading, () => `${heading}\n## ${version} (${date})\n${migrationSection}`)
}

function formatMigration({ version, summary, worksBesideSchema }: MigrationNote): string {
  const nodes =
    worksBesideSchema === null
      ? 'Stop the nodes of earlier versions first.'
      : `Nodes with schema ${worksBesideSchema} or later can keep running.`
  return `- ${String(version).padStart(4, '0')}: ${summary} ${nodes}\n`
}
