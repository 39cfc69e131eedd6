/** The code of the version before the newest migration, from the history of git. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

export interface PreviousRelease {
  /** The path of the release's `bin/belfry.js`. */
  program: string
  remove(): void
}

function runGit(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : undefined
}

/**
 * Returns BELFRY_FAULT_PREVIOUS, or the commit before the one that added the newest migration. undefined if Git's
 * history lacks that commit.
 */
export function findPreviousRevision(): string | undefined {
  const newestMigration = readdirSync(join(root, 'migrations'))
    .filter((name) => /^\d{4}_/.test(name))
    .sort()
    .at(-1)
  const addingCommit = runGit('log', '-1', '--diff-filter=A', '--format=%H', '--', `migrations/${newestMigration}`)
  const revision = process.env['BELFRY_FAULT_PREVIOUS'] ?? (addingCommit && `${addingCommit}^`)
  return revision && runGit('rev-parse', '--verify', `${revision}^{commit}`)
}

/** Copies a revision to a temporary folder. The copy uses the packages that are installed for this version. */
export function checkOutRelease(revision: string): PreviousRelease {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-previous-'))
  const { status, stderr } = spawnSync('sh', ['-c', `git archive ${revision} | tar -x -C '${folder}'`], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The previous release could not be copied: ${stderr}`)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return {
    program: join(folder, 'bin', 'belfry.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
