import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Artifact, formatPlan, planRelease } from '../../packaging/release/plan.ts'

let folder: string

const git = (...args: string[]) => {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
}
const findProgram = (name: string) => spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim()
const write = (name: string, text: string) => writeFile(join(folder, name), text)
const plan = (version: string, artifacts: Artifact[] = ['npm']) =>
  planRelease(folder, { version, artifacts, now: new Date('2026-11-16T23:59:00Z') })

beforeEach(async () => {
  // A Git hook may run the tests with variables that name another repository, and developers have settings of their own.
  for (const name of ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE']) vi.stubEnv(name, undefined)
  for (const name of ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM']) vi.stubEnv(name, '/dev/null')
  folder = await mkdtemp(join(tmpdir(), 'belfry-plan-'))
  git('init', '--quiet', '--initial-branch', 'main')
  await mkdir(join(folder, 'migrations'))
  await write('package.json', '{ "version": "0.1.0" }')
  await write('CHANGELOG.md', '# Changes\n\n## Unreleased\n\n### Added\n- Releases.\n')
  await write('migrations/0001_accounts.sql', '')
  git('add', '.')
  git('commit', '--quiet', '--message', 'first')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

describe('the plan of a release', () => {
  it('lists the steps of the release', async () => {
    const firstPlan = await plan('0.2.0')
    expect(firstPlan).toMatchObject({ tag: 'v0.2.0', date: '2026-11-16', previousTag: undefined })
    expect(firstPlan.newMigrations.map(({ version }) => version)).toEqual([1])
    expect(formatPlan(firstPlan)).toContain('List the migrations since the beginning in CHANGELOG.md: 0001')
  })

  it('contains only the migrations since the last release', async () => {
    git('tag', '--annotate', '--message', 'Belfry 0.1.0', 'v0.1.0')
    await write('migrations/0002_websites.sql', '')
    await mkdir(join(folder, 'migrations/access'))
    await write('migrations/access/1_caller.sql', '')
    git('add', '.')
    git('commit', '--quiet', '--message', 'second')
    const secondPlan = await plan('0.2.0')
    expect(secondPlan.previousTag).toBe('v0.1.0')
    expect(secondPlan.newMigrations.map(({ version }) => version)).toEqual([2])
    for (const version of ['0.1.1', '0.1.1-rc.1']) {
      await expect(plan(version)).rejects.toThrow(
        "There are migrations since v0.1.0, so this can't be a patch version.",
      )
    }
    expect((await plan('0.2.0-rc.1')).version).toBe('0.2.0-rc.1')
  })

  it('compares with the greatest released version, whatever other tags there are', async () => {
    for (const tag of ['v0.2.0-rc.1', 'v0.2.0', 'v0.10.0-rc.2', 'v0.10.0-rc.10', 'vendor-import', 'v99'])
      git('tag', tag)
    expect((await plan('0.11.0')).previousTag).toBe('v0.10.0-rc.10')
    git('tag', 'v0.10.0')
    expect((await plan('0.11.0')).previousTag).toBe('v0.10.0')
  })

  it('ignores tags that are not part of the branch', async () => {
    git('checkout', '--quiet', '-b', 'other')
    git('commit', '--quiet', '--allow-empty', '--message', 'other')
    git('tag', 'v0.9.0')
    git('checkout', '--quiet', 'main')
    expect((await plan('0.2.0')).previousTag).toBeUndefined()
  })

  it('needs the programs that build and shrink the image', async () => {
    const programs = join(folder, '.git/programs')
    await mkdir(programs)
    for (const name of ['git', 'sh']) await symlink(findProgram(name), join(programs, name))
    vi.stubEnv('PATH', programs)
    const describeMissing = (name: string) =>
      `  * ${name} is not installed. Install it, or leave the artifact out with --no-image.`
    await expect(plan('0.2.0', ['image'])).rejects.toThrow(`${describeMissing('buildah')}\n${describeMissing('strip')}`)
  })

  it('names everything that prevents the release', async () => {
    await write('CHANGELOG.md', '# Changes\n\n## Unreleased\n')
    await write('migrations/9999_unknown.sql', '')
    git('tag', 'v0.1.0')
    git('checkout', '--quiet', '-b', 'feature')
    await expect(plan('0.1.0')).rejects.toThrow(`Version 0.1.0 can't be released:
  * 0.1.0 is not greater than the current version, 0.1.0.
  * Releases are made on the branch main, not on feature.
  * There are uncommitted changes. See git status.
  * The tag v0.1.0 exists already.
  * CHANGELOG.md has no entries under "## Unreleased".
  * migrations/notes.json doesn't describe 9999_unknown.sql.`)
  })
})
