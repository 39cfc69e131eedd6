/**
 * The typeface of the application, Inter, for pages that the server renders itself. One variable file for each script. The files are copies
 * of those in `@fontsource-variable/inter`, so that a server without the build of the application has them, too. An installed package
 * always has that build, so it contains the files only there.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from './package-folder.ts'

/**
 * The ranges are those of `web/styles/fonts.css`. The first file has none: browsers use a later file for the characters in its range, and
 * the first one for all others.
 */
const fontRanges = {
  'inter-latin': undefined,
  'inter-latin-ext':
    'U+100-130,U+132-151,U+154-2BA,U+2BD-2C5,U+2C7-2CC,U+2CE-2D7,U+2DD-2FF,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF',
  'inter-cyrillic': 'U+301,U+400-45F,U+490-491,U+4B0-4B1,U+2116',
  'inter-greek': 'U+370-377,U+37A-37F,U+384-38A,U+38C,U+38E-3A1,U+3A3-3FF',
} as const

/** The server serves the files below this path, at every host, and without a database. */
export const FONT_PATH = '/status/'

export interface InterFont {
  /** Contains a hash of the content, so that browsers can keep the file forever. No slug of a status page contains a dot. */
  fileName: string
  range: string | undefined
  content: Buffer
}

const sourceFolder = join(packageFolder, 'status-page', 'fonts')
const builtFolder = join(packageFolder, 'web', 'dist', 'assets')

/** The files of the build have other names, which end with a hash. */
function findFont(name: string): string {
  if (existsSync(sourceFolder)) return join(sourceFolder, `${name}.woff2`)
  const builtName = readdirSync(builtFolder).find((file) => file.startsWith(`${name}-wght-normal-`))
  if (builtName === undefined) throw new Error(`${builtFolder} does not contain the typeface ${name}`)
  return join(builtFolder, builtName)
}

let fonts: readonly InterFont[] | undefined

/** The first font has the Latin characters. */
export function getInterFonts(): readonly InterFont[] {
  fonts ??= Object.entries(fontRanges).map(([name, range]) => {
    const content = readFileSync(findFont(name))
    const digest = createHash('sha256').update(content).digest('hex').slice(0, 10)
    return { fileName: `${name}-${digest}.woff2`, range, content }
  })
  return fonts
}
