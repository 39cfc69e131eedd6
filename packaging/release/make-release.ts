/** Makes a release in a temporary clone. Changes the repository only after everything is built. */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { blockIfInterrupted, withoutInterrupts } from '../../src/cli/common/interrupts.ts'
import { execute } from '../execute.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { dateChangelog, findChangelogSection } from './changelog.ts'
import { listComponents } from './components.ts'
import { renderAllLicenses } from './licenses.ts'
import { ReleaseError, type ReleasePlan } from './plan.ts'
import { createSbom } from './sbom.ts'
import { setLockVersion, setPackageVersion } from './version.ts'

export interface Release {
  folder: string
  /** The content of SHA256SUMS. */
  sums: string
}

export function makeRelease(root: string, plan: ReleasePlan, report: (step: string) => void): Promise<Release> {
  return withTemporaryFolder('belfry-release-', async (workFolder) => {
    const [source, artifacts] = [join(workFolder, 'source'), join(workFolder, 'artifacts')]
    report('Cloning the repository')
    execute('git', ['clone', '--quiet', '--branch', 'main', root, source], root)
    await commitVersion(root, source, plan)
    report('Installing packages, building pages and server')
    runVisibly('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], source)
    await mkdir(artifacts)
    for (const artifact of plan.artifacts) {
      report(`Building the artifact ${artifact}`)
      runVisibly('npm', ['run', '--silent', 'package', '--', artifact, '--output', artifacts], source)
    }
    report('Writing the bill of materials, licenses, notes and sums')
    const commitTime = Number(execute('git', ['log', '-1', '--format=%ct'], source))
    await writeDocuments(source, artifacts, plan.version, new Date(commitTime * 1000))
    const sums = await writeSums(artifacts)
    await blockIfInterrupted()
    report('Moving the release to the repository')
    return { folder: await withoutInterrupts(() => moveToRepository(root, source, artifacts, plan)), sums }
  })
}

async function commitVersion(root: string, source: string, plan: ReleasePlan): Promise<void> {
  const { version, tag } = plan
  const change = async (name: string, edit: (text: string) => string) => {
    const path = join(source, name)
    await writeFile(path, edit(await readFile(path, 'utf8')))
  }
  await change('package.json', (text) => setPackageVersion(text, version))
  await change('package-lock.json', (text) => setLockVersion(text, version))
  await change('CHANGELOG.md', (text) => dateChangelog(text, { ...plan, migrations: plan.newMigrations }))
  // A clone doesn't inherit the Git settings of this repository.
  const identity = ['user.name', 'user.email'].flatMap((name) => {
    const value = execute('git', ['config', '--default', '', '--get', name], root).trim()
    return value === '' ? [] : ['-c', `${name}=${value}`]
  })
  execute('git', [...identity, 'commit', '--quiet', '--all', '--message', `chore: release ${version}`], source)
  execute('git', [...identity, 'tag', '--annotate', '--message', `Belfry ${version}`, tag], source)
}

/** Adds the commit, then the release folder and the tag. If the commit can't be added, nothing changes. */
async function moveToRepository(root: string, source: string, artifacts: string, plan: ReleasePlan): Promise<string> {
  const folder = join(root, 'release', plan.version)
  const temporaryFolder = `${folder}.part`
  try {
    // The artifacts may be on another disk, from where they can't be renamed into place. So they are copied into the
    // repository first.
    await cp(artifacts, temporaryFolder, { recursive: true })
    await runGit(['fetch', '--quiet', '--no-tags', source, 'main'], root)
    await runGit(['merge', '--quiet', '--ff-only', 'FETCH_HEAD'], root)
    await rm(folder, { recursive: true, force: true })
    await rename(temporaryFolder, folder)
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true })
  }
  await runGit(['fetch', '--quiet', '--no-tags', source, `refs/tags/${plan.tag}:refs/tags/${plan.tag}`], root)
  return folder
}

/**
 * Runs Git in its own process group. Otherwise Ctrl-C would interrupt it, because the terminal sends the signal to all
 * processes of a group.
 */
async function runGit(args: string[], cwd: string): Promise<void> {
  const child = spawn('git', args, { cwd, detached: true, stdio: ['ignore', 'inherit', 'inherit'] })
  const [status, signal] = await once(child, 'close')
  if (status !== 0) throw new ReleaseError(`git ${args.join(' ')} failed (${signal ?? `exit code ${status}`}).`)
}

/** Shows the program's output while it runs, which takes minutes. */
function runVisibly(program: string, args: string[], cwd: string): void {
  const { status, signal } = spawnSync(program, args, { cwd, stdio: 'inherit' })
  if (status === 0) return
  throw new ReleaseError(
    `${program} ${args.join(' ')} failed (${signal ?? `exit code ${status}`}). Nothing was changed.`,
  )
}

const SUMS_FILE = 'SHA256SUMS'

/** `source` is a checkout of the release in which the packages are installed and built. */
async function writeDocuments(source: string, folder: string, version: string, date: Date): Promise<void> {
  const sbom = createSbom(await listComponents(source), { version, date })
  await writeFile(join(folder, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`)
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), await renderAllLicenses(source))
  const notes = findChangelogSection(await readFile(join(source, 'CHANGELOG.md'), 'utf8'), version)
  await writeFile(join(folder, 'RELEASE-NOTES.md'), `# Belfry ${version}\n\n${notes}\n`)
}

/** Writes the checksums of all files in the folder, for `sha256sum --check`. Returns them. */
async function writeSums(folder: string): Promise<string> {
  const lines: string[] = []
  for (const name of (await readdir(folder)).filter((file) => file !== SUMS_FILE).sort()) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(folder, name)), hash)
    lines.push(`${hash.digest('hex')}  ${name}\n`)
  }
  await writeFile(join(folder, SUMS_FILE), lines.join(''))
  return lines.join('')
}
