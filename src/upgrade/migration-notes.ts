/** What each migration does, and whether nodes can keep running while it is applied. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageFolder } from '../lib/package-folder.ts'

export interface MigrationNote {
  version: number
  summary: string
  /** Nodes of this schema version or later keep working after the migration. null if all nodes of earlier versions must stop. */
  worksBesideSchema: number | null
}

/** The notes are in a file of their own, because released migrations are never edited. */
export async function readMigrationNotes(): Promise<MigrationNote[]> {
  const text = await readFile(join(packageFolder, 'migrations', 'notes.json'), 'utf8')
  return (JSON.parse(text) as { version: number; summary: string; works_beside_schema: number | null }[]).map(
    ({ version, summary, works_beside_schema }) => ({ version, summary, worksBesideSchema: works_beside_schema }),
  )
}

/** The oldest schema version whose nodes keep working after all of these migrations. null if none does. */
export function findOldestNodeSchema(notes: readonly MigrationNote[]): number | null {
  const versions = notes.map(({ worksBesideSchema }) => worksBesideSchema)
  return versions.some((version) => version === null) ? null : Math.max(...(versions as number[]))
}
