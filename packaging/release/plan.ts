/** Plans a release, and finds what prevents it. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rsort, valid } from 'semver'
import { type MigrationNote, readMigrationNotes } from '../../src/upgrade/migration-notes.ts'
import { execute } from '../execute.ts'
import { hasUnreleasedChanges } from './changelog.ts'
import { checkVersion, isPatch } from './version.ts'

/** What `npm run package` can build, and the programs that each artifact needs besides npm. */
const artifacts = {
  npm: [],
  deb: ['dpkg-deb', 'dpkg-shlibdeps'],
  image: ['buildah', 'strip'],
} as const

export type Artifact = keyof typeof artifacts
export const allArtifacts = Object.keys(artifacts) as Artifact[]

export interface ReleasePlan {
  version: string
  tag: string
  /** A date such as 2026-11-16. */
  date: string
  /** undefined for the first release. */
  previousTag: string | undefined
  newMigrations: MigrationNote[]
  artifacts: Artifact[]
}

/** An error that needs no stack trace: the message says what to do. */
export class ReleaseError extends Error {}

export interface PlanOptions {
  version: string
  artifacts: readonly Artifact[]
  now: Date
}

/** Throws a ReleaseError that lists everything that prevents the release. Changes nothing. */
export async function planRelease(
  root: string,
  { version, artifacts: wantedArtifacts, now }: PlanOptions,
): Promise<ReleasePlan> {
  const git = (...args: string[]) => execute('git', args, root).trim()
  const { version: currentVersion } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const tag = `v${version}`
  const tags = git('tag', '--list', 'v*', '--merged').split('\n')
  // Git would sort v0.2.0-rc.1 after v0.2.0.
  const [previousTag] = rsort(tags.filter((name) => valid(name) !== null))
  const migrations = await listNewMigrations(root, previousTag, git)
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8')
  const branch = git('branch', '--show-current')
  const problems = [
    ...checkVersion(version, currentVersion),
    ...(branch === 'main' ? [] : [`Releases are made on the branch main, not on ${branch || 'a detached HEAD'}.`]),
    ...(git('status', '--porcelain') === '' ? [] : ['There are uncommitted changes. See git status.']),
    ...(git('tag', '--list', tag) === '' ? [] : [`The tag ${tag} exists already.`]),
    ...(hasUnreleasedChanges(changelog) ? [] : ['CHANGELOG.md has no entries under "## Unreleased".']),
    ...(previousTag !== undefined && migrations.hasAny && isPatch(version)
      ? [`There are migrations since ${previousTag}, so this can't be a patch version.`]
      : []),
    ...migrations.undocumented.map((name) => `migrations/notes.json doesn't describe ${name}.`),
    ...wantedArtifacts.flatMap(findMissingPrograms),
  ]
  if (problems.length > 0) throw new ReleaseError(`Version ${version} can't be released:\n${formatList(problems)}`)
  return {
    version,
    tag,
    date: now.toISOString().slice(0, 10),
    previousTag,
    newMigrations: migrations.documented,
    artifacts: [...wantedArtifacts],
  }
}

async function listNewMigrations(root: string, previousTag: string | undefined, git: (...args: string[]) => string) {
  const isMigration = (name: string) => /^\d{4}_.*\.sql$/.test(name)
  const releasedFiles = previousTag === undefined ? '' : git('ls-tree', '--name-only', `${previousTag}:migrations`)
  const names = (await readdir(join(root, 'migrations'))).filter(isMigration).sort()
  const newNames = names.filter((name) => !releasedFiles.split('\n').includes(name))
  const notes = new Map((await readMigrationNotes()).map((note) => [note.version, note]))
  const findNote = (name: string) => notes.get(Number(name.slice(0, 4)))
  return {
    hasAny: newNames.length > 0,
    documented: newNames.map(findNote).filter((note) => note !== undefined),
    undocumented: newNames.filter((name) => findNote(name) === undefined),
  }
}

function findMissingPrograms(artifact: Artifact): string[] {
  return artifacts[artifact]
    .filter((program) => !isInstalled(program))
    .map((program) => `${program} is not installed. Install it, or leave the artifact out with --no-${artifact}.`)
}

function isInstalled(program: string): boolean {
  try {
    execute('sh', ['-c', `command -v ${program}`], '/')
    return true
  } catch {
    return false
  }
}

export const formatList = (lines: readonly string[]) => lines.map((line) => `  * ${line}`).join('\n')

export function formatPlan({
  version,
  tag,
  date,
  previousTag,
  newMigrations,
  artifacts: artifactNames,
}: ReleasePlan): string {
  const numbers = newMigrations.map((note) => String(note.version).padStart(4, '0')).join(', ')
  return formatList([
    `Clone the repository to a temporary folder, and work there`,
    `Set the version ${version} in package.json and package-lock.json`,
    `Date the changes in CHANGELOG.md: ${version} (${date})`,
    `List the migrations since ${previousTag ?? 'the beginning'} in CHANGELOG.md: ${numbers || 'none'}`,
    `Commit "chore: release ${version}" with the tag ${tag}`,
    'Install the packages of package-lock.json',
    `Build: ${artifactNames.join(', ')}`,
    'Write sbom.cdx.json, THIRD-PARTY-LICENSES.txt, RELEASE-NOTES.md and SHA256SUMS',
    `Move everything to release/${version}, and the commit and the tag to this repository`,
  ])
}
