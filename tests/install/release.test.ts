/** Prepares a release in a clone: `npm run release -- 99.0.0`. Run it with `BELFRY_TEST_RELEASE=1 npm run test:install -- release`. */
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listMissing } from './support/requirements.ts'
import { createInstallFolder, printMeasurement, run } from './support/run.ts'

const root = resolve(import.meta.dirname, '../..')
const VERSION = '99.0.0'

describe.skipIf(listMissing('release.test.ts').length > 0)('a release', () => {
  const folder = createInstallFolder('release')
  const clone = join(folder.path, 'belfry')
  const release = join(clone, 'release', VERSION)
  const git = (...args: string[]) => run('git', args, { cwd: clone }).trim()
  const edit = (name: string, change: (text: string) => string) =>
    writeFileSync(join(clone, name), change(readFileSync(join(clone, name), 'utf8')))
  const describeRepository = () => ({
    branch: git('branch', '--show-current'),
    commit: git('rev-parse', 'HEAD'),
    tags: git('tag'),
    changes: git('status', '--porcelain'),
    entries: readdirSync(clone).sort(),
  })

  beforeAll(() => {
    run('git', ['clone', '-q', '--no-hardlinks', root, clone], { cwd: folder.path })
    git('checkout', '-q', '-B', 'main')
    git('config', 'user.name', 'Ada')
    git('config', 'user.email', 'ada@example.com')
    // The release script needs Node 26 and semver. The temporary clone in which it builds gets its own packages.
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
    writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n')
    edit('CHANGELOG.md', (text) =>
      text.replace('## Unreleased\n', '## Unreleased\n\n### Added\n- A release for tests.\n'),
    )
    git('commit', '-q', '--all', '--message', 'docs: describe a change')
  })
  afterAll(() => folder.remove())

  it('changes nothing if it only prints its steps, or if a step fails', () => {
    const stateBefore = describeRepository()
    const output = run('npm', ['run', 'release', '--', VERSION, '--no-image', '--dry-run'], { cwd: clone })
    expect(output).toContain(`Commit "chore: release ${VERSION}" with the tag v${VERSION}`)
    expect(describeRepository()).toEqual(stateBefore)

    // npm refuses to install a package that is not in the lock file.
    edit('package.json', (text) =>
      text.replace('"devDependencies": {', '"devDependencies": {\n    "missing": "1.0.0",'),
    )
    git('commit', '-q', '--all', '--message', 'build: break the installation')
    const brokenState = describeRepository()
    expect(() => run('npm', ['run', 'release', '--', VERSION, '--no-image'], { cwd: clone })).toThrow(
      /npm ci .* failed \(exit code 1\)\. Nothing was changed\./,
    )
    expect(describeRepository()).toEqual(brokenState)
    git('reset', '-q', '--hard', stateBefore.commit)
  })

  it('is committed, tagged and built with checksums, licenses and a bill of materials', () => {
    const startedAt = Date.now()
    const { commit } = describeRepository()
    run('npm', ['run', 'release', '--', VERSION, '--no-image'], { cwd: clone })
    const seconds = Math.round((Date.now() - startedAt) / 1000)

    expect(git('status', '--porcelain')).toBe('')
    expect(git('log', '-1', '--format=%s by %an')).toBe(`chore: release ${VERSION} by Ada`)
    expect(git('rev-parse', 'HEAD~1')).toBe(commit)
    expect(git('cat-file', '-t', `v${VERSION}`)).toBe('tag')
    expect(git('rev-parse', `v${VERSION}^{commit}`)).toBe(git('rev-parse', 'HEAD'))
    const [packageJson, lock] = ['package.json', 'package-lock.json'].map((name) => git('show', `HEAD:${name}`))
    expect(JSON.parse(packageJson ?? '').version).toBe(VERSION)
    expect(JSON.parse(lock ?? '').packages[''].version).toBe(VERSION)
    expect(lock).not.toContain('"resolved"')
    const changelog = git('show', 'HEAD:CHANGELOG.md')
    expect(changelog).toMatch(/^## Unreleased\n\n## 99\.0\.0 \(\d{4}-\d{2}-\d{2}\)\n\n### /m)

    const names = readdirSync(release).sort()
    const debianPackage = names.find((name) => name.endsWith('.deb')) ?? ''
    expect(debianPackage).toMatch(/^belfry_99\.0\.0_(?:arm64|amd64)\.deb$/)
    const documents = ['RELEASE-NOTES.md', 'SHA256SUMS', 'THIRD-PARTY-LICENSES.txt', 'sbom.cdx.json']
    expect(names).toEqual([...documents, `belfry-${VERSION}.tgz`, debianPackage].sort())
    run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release })
    expect(readFileSync(join(release, 'SHA256SUMS'), 'utf8').trim().split('\n')).toHaveLength(names.length - 1)
    expect(run('dpkg-deb', ['--field', debianPackage, 'Version'], { cwd: release }).trim()).toBe(VERSION)
    const files = run('tar', ['-tzf', `belfry-${VERSION}.tgz`], { cwd: release })
    expect(files).toContain('package/dist/THIRD-PARTY-LICENSES.txt\n')
    const read = (name: string) => readFileSync(join(release, name), 'utf8')
    expect(JSON.parse(read('sbom.cdx.json')).metadata.component.version).toBe(VERSION)
    expect(read('RELEASE-NOTES.md')).toMatch(/^# Belfry 99\.0\.0\n\n.*- A release for tests\.\n/s)
    for (const name of ['fastify', 'PostgreSQL', `node-linux-${process.arch}`]) {
      expect(read('THIRD-PARTY-LICENSES.txt')).toContain(`\n${name} `)
    }
    printMeasurement(`release: ${seconds} s for the npm and the Debian package`)
  })

  it('can be built again from its tag, with the same bytes', () => {
    const secondFolder = join(folder.path, 'again')
    run('git', ['-c', 'advice.detachedHead=false', 'clone', '-q', '--branch', `v${VERSION}`, clone, secondFolder], {
      cwd: clone,
    })
    run('npm', ['ci', '--prefer-offline'], { cwd: secondFolder })
    run('npm', ['run', 'package', '--', 'npm', '--output', join(folder.path, 'output')], { cwd: secondFolder })
    const sum = run('sha256sum', [`belfry-${VERSION}.tgz`], { cwd: join(folder.path, 'output') })
    expect(readFileSync(join(release, 'SHA256SUMS'), 'utf8')).toContain(sum)
  })

  it('is refused if it exists already', () => {
    const stateBefore = describeRepository()
    expect(() => run('npm', ['run', 'release', '--', VERSION, '--no-image'], { cwd: clone })).toThrow(
      `The tag v${VERSION} exists already.`,
    )
    expect(describeRepository()).toEqual(stateBefore)
  })
})
