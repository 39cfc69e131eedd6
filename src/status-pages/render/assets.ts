/** The styles and the script of status pages. Both are part of every page, allowed by their hashes in the Content-Security-Policy. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../lib/package-folder.ts'
import { deriveAccentColors } from '../../shared/color-contrast.ts'

const folder = join(packageFolder, 'status-page')

interface InlineCode {
  code: string
  /** For example `'sha256-…'`, with the quotes. */
  hash: string
}

let pageScript: InlineCode | undefined
let pageStyle: InlineCode | undefined

function toInlineCode(code: string): InlineCode {
  return { code, hash: `'sha256-${createHash('sha256').update(code).digest('base64')}'` }
}

const read = (name: string) => toInlineCode(readFileSync(join(folder, name), 'utf8'))

export function getPageScript(): InlineCode {
  pageScript ??= read('page.js')
  return pageScript
}

export function getPageStyle(): InlineCode {
  pageStyle ??= read('page.min.css')
  return pageStyle
}

/** A style sheet with the colors of links and buttons. */
export function createAccentStyle(accentColor: string): InlineCode {
  const [light, dark] = [deriveAccentColors(accentColor, 'light'), deriveAccentColors(accentColor, 'dark')]
  const mix = (name: keyof typeof light) => `light-dark(${light[name]},${dark[name]})`
  return toInlineCode(`:root{--accent:${mix('text')};--accent-fill:${mix('fill')};--on-accent:${mix('onFill')}}`)
}
