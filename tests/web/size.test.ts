/** The size of the built scripts that a browser loads before it shows a page. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

/** The maximum size of the scripts after gzip compression. */
const MAX_SCRIPT_BYTES = 150_000

const folder = join(import.meta.dirname, '..', '..', 'web', 'dist')
const html = readFileSync(join(folder, 'index.html'), 'utf8')
const scriptNames = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.js'))
const scripts = new Map(scriptNames.map((name) => [name, readFileSync(join(folder, 'assets', name), 'utf8')]))

const matchAll = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, group = '']) => group)
const listStaticImports = (name: string) =>
  matchAll(scripts.get(name) ?? '', /\b(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)
const listDynamicImports = (name: string) =>
  matchAll(scripts.get(name) ?? '', /\bimport\(\s*["'`]\.\/([^"'`]+\.js)["'`]/g)

/** Returns the given scripts and everything that they import, directly or indirectly. */
function collectImports(
  names: readonly string[],
  listImports: (name: string) => string[],
  collected = new Set<string>(),
): Set<string> {
  for (const name of names) {
    if (collected.has(name)) continue
    collected.add(name)
    collectImports(listImports(name), listImports, collected)
  }
  return collected
}

const getGzippedSize = (name: string) => gzipSync(scripts.get(name) ?? '').length
const sumGzippedSizes = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + getGzippedSize(name), 0)
const listSizes = (names: Iterable<string>) => [...names].map((name) => `${getGzippedSize(name)} ${name}`).join('\n')

const entryScripts = matchAll(html, /<script[^>]* src="\.\/assets\/([^"]+)"/g)
const preloadedScripts = matchAll(html, /<link rel="modulepreload"[^>]* href="\.\/assets\/([^"]+)"/g)
const initialScripts = collectImports([...entryScripts, ...preloadedScripts], listStaticImports)

describe('the scripts of the web application', () => {
  it('can all be reached from the entry script', () => {
    expect(entryScripts).toHaveLength(1)
    expect(initialScripts).toEqual(new Set([...entryScripts, ...preloadedScripts]))
    expect(collectImports(entryScripts, (name) => [...listStaticImports(name), ...listDynamicImports(name)])).toEqual(
      new Set(scriptNames),
    )
  })

  it('are two files before the first page is shown, because each file needs a request', () => {
    expect([...initialScripts]).toEqual([expect.stringMatching(/^index-/), expect.stringMatching(/^libraries-/)])
  })

  it('need at most 150 kB gzipped before the first page is shown', () => {
    expect(sumGzippedSizes(initialScripts), listSizes(initialScripts)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES)
  })

  it.each(entryScripts.flatMap(listDynamicImports))(
    'need at most 150 kB gzipped for %s with everything it imports',
    (page) => {
      const listImports = (name: string) =>
        entryScripts.includes(name) ? [] : [...listStaticImports(name), ...listDynamicImports(name)]
      const loadedScripts = new Set([...initialScripts, ...collectImports([page], listImports)])
      expect(sumGzippedSizes(loadedScripts), listSizes(loadedScripts)).toBeLessThanOrEqual(MAX_SCRIPT_BYTES)
    },
  )

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
