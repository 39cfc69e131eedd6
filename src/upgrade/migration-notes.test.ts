import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packageFolder } from '../lib/package-folder.ts'
import { readMigrations } from '../storage/migrations.ts'
import { findOldestNodeSchema, readMigrationNotes } from './migration-notes.ts'

describe('notes of migrations', () => {
  it('exist for every migration, and name an earlier schema version if nodes of that version can keep running', async () => {
    const [{ migrations }, notes] = await Promise.all([readMigrations(), readMigrationNotes()])
    expect(notes.map(({ version }) => version)).toEqual(migrations.map(({ version }) => version))
    for (const { version, summary, worksBesideSchema } of notes) {
      expect(summary).toMatch(/^[A-Z].{10,200}\.$/)
      if (worksBesideSchema !== null) expect(worksBesideSchema).toBeLessThan(version)
    }
  })

  it('are listed in docs/upgrade.md', async () => {
    const text = await readFile(join(packageFolder, 'docs', 'upgrade.md'), 'utf8')
    for (const { version, summary, worksBesideSchema } of await readMigrationNotes()) {
      const nodesText =
        worksBesideSchema === null ? 'Stop all nodes' : `Nodes with version ${worksBesideSchema} keep running`
      expect(text).toContain(`| ${version} | ${summary.slice(0, -1)} | ${nodesText} |`)
    }
  })

  it('name the oldest nodes that work with all of several migrations', () => {
    const note = (version: number, worksBesideSchema: number | null) => ({ version, summary: '', worksBesideSchema })
    expect(findOldestNodeSchema([note(10, 9), note(11, 10)])).toBe(10)
    expect(findOldestNodeSchema([note(10, 9), note(11, 9)])).toBe(9)
    expect(findOldestNodeSchema([note(10, null), note(11, 10)])).toBeNull()
  })
})
