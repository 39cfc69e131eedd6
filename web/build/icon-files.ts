/**
 * A Vite plugin that copies flags and logos out of their packages. Pages load each file when they show it, so none is part of
 * the first load. The folder's name contains a hash of the content, so that browsers can cache the files forever.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Plugin } from 'vite'
import { channelLogos } from '../lib/channel-logos.ts'
import { parseLogo } from '../lib/logos.ts'
import { browserLogos, osLogos, sourceLogos } from '../lib/value-icon-table.ts'

/** The format of the @iconify-json packages. */
interface IconSet {
  width?: number
  height?: number
  icons: Record<string, { body: string; left?: number; top?: number; width?: number; height?: number }>
  aliases?: Record<string, { parent: string }>
}

const { resolve } = createRequire(import.meta.url)

const findSet = (name: string) => resolve(`@iconify-json/${name}/icons.json`)

const readSet = (name: string): IconSet => JSON.parse(readFileSync(findSet(name), 'utf8'))

export const iconSetFiles = ['circle-flags', 'logos', 'simple-icons'].map(findSet)

function renderIcon(set: IconSet, name: string, color = '#000'): string {
  const icon = set.icons[set.aliases?.[name]?.parent ?? name]
  if (icon === undefined) throw new Error(`The package has no icon ${name}. Correct the tables of logos in web/lib/.`)
  const { left = 0, top = 0, width = set.width ?? 16, height = set.height ?? 16 } = icon
  const body = icon.body.replaceAll('currentColor', color)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} ${top} ${width} ${height}">${body}</svg>`
}

/** The text of every file, by its path in the folder of icons. */
export function renderIconFiles(): ReadonlyMap<string, string> {
  const flags = readSet('circle-flags')
  const sets: Record<string, IconSet> = { logos: readSet('logos'), simple: readSet('simple-icons') }
  const files = new Map<string, string>()
  // Only codes of two letters are countries. The pages don't show the package's flags of regions and organizations.
  for (const code of [...Object.keys(flags.icons), ...Object.keys(flags.aliases ?? {})]) {
    if (/^[a-z]{2}$/.test(code)) files.set(`flags/${code}.svg`, renderIcon(flags, code))
  }
  for (const entry of [browserLogos, channelLogos, osLogos, sourceLogos].flatMap(Object.values<string>)) {
    const { set, name, color } = parseLogo(entry)
    const path = `logos/${name}.svg`
    const text = renderIcon(sets[set] as IconSet, name, color)
    if (files.has(path) && files.get(path) !== text) throw new Error(`Two different icons are called ${name}.`)
    files.set(path, text)
  }
  return files
}

export function iconFiles(): Plugin {
  const files = renderIconFiles()
  const hash = createHash('sha256')
    .update(JSON.stringify([...files]))
    .digest('hex')
    .slice(0, 8)
  // The server lets browsers cache all files in assets/ forever.
  const folder = `assets/icons-${hash}`
  return {
    name: 'icon-files',
    config: () => ({ define: { __ICON_FOLDER__: JSON.stringify(folder) } }),
    generateBundle() {
      for (const [path, source] of files) {
        this.emitFile({ type: 'asset', fileName: `${folder}/${path}`, source })
      }
    },
  }
}
