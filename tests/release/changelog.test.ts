import { describe, expect, it } from 'vitest'
import { dateChangelog, findChangelogSection, hasUnreleasedChanges } from '../../packaging/release/changelog.ts'
import { checkVersion, setLockVersion, setPackageVersion } from '../../packaging/release/version.ts'

const changelog = `# Changes

The format follows Keep a Changelog.

## Unreleased

### Added
- Releases for $1 and $&.

## 0.1.0 (2026-01-05)

### Added
- Everything.
`

const migrations = [
  { version: 7, summary: 'Changes no rows.', worksBesideSchema: null },
  { version: 12, summary: 'New columns.', worksBesideSchema: 11 },
]

describe('the changelog', () => {
  it('gets the version and the date of a release, its migrations, and an empty section for later changes', () => {
    const datedChangelog = dateChangelog(changelog, { version: '0.2.0', date: '2026-11-16', migrations })
    expect(datedChangelog).toBe(`# Changes

The format follows Keep a Changelog.

## Unreleased

## 0.2.0 (2026-11-16)

### Migrations
- 0007: Changes no rows. Stop the nodes of earlier versions first.
- 0012: New columns. Nodes with schema 11 or later can keep running.

### Added
- Releases for $1 and $&.

## 0.1.0 (2026-01-05)

### Added
- Everything.
`)
    expect(hasUnreleasedChanges(changelog)).toBe(true)
    expect(hasUnreleasedChanges(datedChangelog)).toBe(false)
    expect(findChangelogSection(datedChangelog, '0.2.0')).toMatch(/^### Migrations\n.*\n- Releases for \$1 and \$&\.$/s)
    expect(findChangelogSection(datedChangelog, '0.1.0')).toBe('### Added\n- Everything.')
    expect(findChangelogSection(datedChangelog, '0.3.0')).toBeUndefined()
  })

  it('has no section about migrations if the release has none', () => {
    const datedChangelog = dateChangelog(changelog, { version: '0.2.0', date: '2026-11-16', migrations: [] })
    expect(datedChangelog).toContain('## 0.2.0 (2026-11-16)\n\n### Added\n')
  })

  it('needs a heading for unreleased changes', () => {
    expect(() => dateChangelog('# Changes\n', { version: '1.0.0', date: '2026-11-16', migrations })).toThrow(
      'CHANGELOG.md has no heading "## Unreleased".',
    )
  })
})

describe('a version', () => {
  it('must be valid and greater than the current version', () => {
    expect(checkVersion('0.2.0', '0.1.0')).toEqual([])
    expect(checkVersion('0.2.0', '0.2.0-rc.1')).toEqual([])
    expect(checkVersion('0.2', '0.1.0')).toEqual(['"0.2" is not a version such as 1.2.3 or 1.2.3-rc.1.'])
    expect(checkVersion('v0.2.0', '0.1.0')).toHaveLength(1)
    expect(checkVersion('0.10.0', '0.9.0')).toEqual([])
    expect(checkVersion('0.1.0', '0.1.0')).toEqual(['0.1.0 is not greater than the current version, 0.1.0.'])
  })

  it('replaces the current version in package.json and package-lock.json, and nothing else', () => {
    const packageJson = '{\n  "name": "belfry",\n  "version": "0.1.0",\n  "a": { "version": "0.1.0" }\n}\n'
    expect(setPackageVersion(packageJson, '0.2.0')).toBe(packageJson.replace('0.1.0', '0.2.0'))
    const lock = { name: 'belfry', version: '0.1.0', packages: { '': { version: '0.1.0' }, a: { version: '0.1.0' } } }
    const changedLock = { ...lock, version: '0.2.0', packages: { '': { version: '0.2.0' }, a: { version: '0.1.0' } } }
    expect(setLockVersion(JSON.stringify(lock), '0.2.0')).toBe(`${JSON.stringify(changedLock, null, 2)}\n`)
  })
})
