/** The size of the built scripts that a browser loads before it shows a page. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

/** Limit after gzip compression. */
const MAX_SCRIPT_BYTES = 150_000

const folder = join(import.meta.dirname, '..', '..', 'web', 'dist')
const html = readFileSync(join(folder, 'index.html'), 'utf8')
const scriptNames = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.js'))
const scripts = new Map(scriptNames.map((name) => [name, readFileSync(join(folder, 'assets', name), 'utf8')]))

const matchAll = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, group = '']) => group)
const staticImports = (name: string) =>
  matchAll(scripts.get(name) ?? '', /\b(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)
const dynamicImports = (name: string) => matchAll(scripts.get(name) ?? '', /\bimport\(\s*["'`]\.\/([^"'`]+\.js)["'`]/g)

/** The given scripts and everything that they import, directly or indirectly. */
function collectImports(
  names: readonly string[],
  importsOf: (name: string) => string[],
  collected = new Set<string>(),
): Set<string> {
  for (const name of names) {
    if (collected.has(name)) continue
    collected.add(name)
    collectImports(importsOf(name), importsOf, collected)
  }
  return collected
}

const gzippedSize = (name: string) => gzipSync(scripts.get(name) ?? '').length
const totalSize = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + gzippedSize(name), 0)
const listSizes = (names: Iterable<string>) => [...names].map((name) => `${gzippedSize(name)} ${name}`).join('\n')

const entries = matchAll(html, /<script[^>]* src="\.\/assets\/([^"]+)"/g)
const preloaded = matchAll(html, /<link rel="modulepreload"[^>]* href="\.\/assets\/([^"]+)"/g)
const initialScripts = collectImports([...entries, ...preloaded], staticImports)

describe('the scripts of the web application', () => {
  it('can all be reached from the entry script', () => {
    expect(entries).toHaveLength(1)
    expect(initialScripts).toEqual(new Set([...entries, ...preloaded]))
    expect(collectImports(entries, (name) => [...staticImports(name), ...dynamicImports(name)])).toEqual(
      new Set(scriptNames),
    )
  })

  it('need at most 150 kB gzipped before the first page is shown', () => {
    expect(totalSize(initialScripts), listSizes(initialScripts)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES)
  })

  it.each(entries.flatMap(dynamicImports))('need at most 150 kB gzipped for %s with everything it imports', (page) => {
    const importsOf = (name: string) =>
      entries.includes(name) ? [] : [...staticImports(name), ...dynamicImports(name)]
    const loadedScripts = new Set([...initialScripts, ...collectImports([page], importsOf)])
    expect(totalSize(loadedScripts), listSizes(loadedScripts)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES)
  })

  it('are separate files, without inline scripts or styles', () => {
    const inlineScripts = matchAll(html, /<script(?![^>]* src=)([^>]*)>/g).filter(
      (attributes) => !attributes.includes('application/json'),
    )
    expect(inlineScripts).toEqual([])
    expect(html).not.toMatch(/<[^>]+\son\w+\s*=/i)
    expect(html).not.toMatch(/javascript:/i)
    expect(html).not.toMatch(/<style|<[^>]+\sstyle\s*=/i)
  })
})
