/** The license texts of everything that Belfry contains or needs. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Component } from './component.ts'
import { listComponents } from './components.ts'

/** Licenses that permit distribution with Belfry if their text is included. Read a license before you add it. */
export const allowedLicenses: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  // This license is allowed only for data in a separate file with its attribution.
  'CC-BY-SA-3.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'PostgreSQL',
  'Unicode-3.0',
  'Unlicense',
])

/** Packages without a license file. Their metadata names the license and the copyright holder. */
const packagesWithoutText: Readonly<Record<string, { copyrightHolder?: string }>> = {
  '@iconify-json/circle-flags': { copyrightHolder: 'HatScripts' },
  '@iconify-json/logos': {},
  '@iconify-json/simple-icons': {},
  '@ip-location-db/geo-whois-asn-country-mmdb': {},
  '@scalar/openapi-types': { copyrightHolder: 'Scalar' },
  'abstract-logging': { copyrightHolder: 'James Sumners' },
  saxes: { copyrightHolder: 'Louis-Dominique Dubeau, Isaac Z. Schlueter and contributors' },
  'wouter-preact': {},
}

const isLicenseFile = (name: string) => /^(?:licen[cs]e|copying|unlicense)(?:[-.].*)?$/i.test(name)
const isNotice = (name: string) => /^notice(?:\..*)?$/i.test(name)

async function readPackageText(folder: string): Promise<string | undefined> {
  const names = (await readdir(folder).catch(() => [])).sort()
  const files = [...names.filter(isLicenseFile), ...names.filter(isNotice)]
  if (files.length > 0) return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('\n')
  const readme = names.find((name) => /^readme\.md$/i.test(name))
  return readme === undefined ? undefined : findLicenseSection(await readFile(join(folder, readme), 'utf8'))
}

/** Some packages have the whole license text at the end of their README. */
export function findLicenseSection(readme: string): string | undefined {
  const section = readme.split(/^##+ */m).find((text) => /^licen[cs]e\s*\n/i.test(text))
  const text = section?.slice(section.indexOf('\n')).trim()
  return text !== undefined && /Permission is hereby granted|Permission to use/.test(text) ? text : undefined
}

async function readTemplate({ name, license }: Component): Promise<string | undefined> {
  const packageInfo = packagesWithoutText[name]
  if (packageInfo === undefined) return undefined
  const text = await readFile(resolve(import.meta.dirname, 'license-texts', `${license}.txt`), 'utf8')
  return text.replace('<copyright holder>', packageInfo.copyrightHolder ?? '')
}

async function findLicenseText(root: string, component: Component): Promise<string | undefined> {
  const { folder, licenseFile } = component
  if (licenseFile !== undefined) return readFile(join(root, licenseFile), 'utf8')
  const ownText = folder === undefined ? undefined : await readPackageText(join(root, folder))
  if (ownText !== undefined) return ownText
  // The binary for a platform is a package of its own, such as `@node-rs/argon2-linux-x64-gnu`. Its license text may be
  // in the main package.
  const parent = folder?.replace(/-(?:linux|darwin|win32|freebsd|android)-.*$/, '')
  const parentText = parent === folder || parent === undefined ? undefined : await readPackageText(join(root, parent))
  return parentText ?? readTemplate(component)
}

export interface LicenseText {
  components: Component[]
  text: string
}

/** Throws if a license is not allowed, or if its text can't be found. Components with the same text are grouped. */
export async function collectLicenseTexts(root: string, components: readonly Component[]): Promise<LicenseText[]> {
  const groups = new Map<string, LicenseText>()
  const problems: string[] = []
  for (const component of components) {
    const { name, version, license } = component
    if (!isAllowed(license)) problems.push(`${name} ${version} has the license ${license}, which is not allowed yet.`)
    const text = (await findLicenseText(root, component))?.replaceAll('\r\n', '\n').trim()
    if (text === undefined || text === '') problems.push(`The license text of ${name} ${version} can't be found.`)
    const group = groups.get(text ?? '') ?? { components: [], text: text ?? '' }
    group.components.push(component)
    groups.set(group.text, group)
  }
  if (problems.length > 0) throw new Error(`${problems.join('\n')}\nSee packaging/release/licenses.ts.`)
  return [...groups.values()]
}

/** In an expression with OR, one allowed license is enough. */
export const isAllowed = (expression: string) =>
  expression
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((license) => allowedLicenses.has(license))

const LINE = '='.repeat(80)

function formatLicenseTexts(texts: readonly LicenseText[]): string {
  const sections = texts.map(({ components, text }) => {
    const titles = components.map(({ name, version, license, source }) =>
      [name, version, `(${license})`, source].filter((part) => part !== undefined).join(' '),
    )
    return `${LINE}\n${titles.join('\n')}\n${LINE}\n\n${text}\n`
  })
  return ['Belfry contains third-party software and data under these licenses.\n', ...sections].join('\n')
}

/** Returns the licenses of everything in the npm package. */
export async function renderBundledLicenses(root: string): Promise<string> {
  const bundledComponents = (await listComponents(root)).filter(({ delivery }) => delivery === 'bundled')
  return formatLicenseTexts(await collectLicenseTexts(root, bundledComponents))
}

/** Returns the licenses of everything in a package for this machine, including Node, PostgreSQL and other installed packages. */
export async function renderAllLicenses(root: string): Promise<string> {
  return formatLicenseTexts(await collectAllLicenseTexts(root))
}

/** `root` is the project's folder, after the pages and the server were built. `programFolder` contains what npm installed. */
export async function collectAllLicenseTexts(root: string, programFolder = root): Promise<LicenseText[]> {
  const installedComponents = (await listComponents(root)).filter(
    ({ delivery, folder = '' }) => delivery === 'bundled' || existsSync(join(programFolder, folder)),
  )
  // Of the components inside the PostgreSQL package, only PostgreSQL itself has a license file in this repository.
  const containedComponents = new Set(
    installedComponents.flatMap(({ contains = [] }) => contains).filter(({ licenseFile }) => licenseFile),
  )
  return collectLicenseTexts(root, [...installedComponents, ...containedComponents])
}
