/** What a browser has to load before anything can be seen, as the build left it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

/** Of scripts, gzipped. */
const MOST_BYTES = 150_000

const folder = join(import.meta.dirname, '..', '..', 'web', 'dist')
const html = readFileSync(join(folder, 'index.html'), 'utf8')
const names = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.js'))
const scripts = new Map(names.map((name) => [name, readFileSync(join(folder, 'assets', name), 'utf8')]))

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found)
const loadedWith = (name: string) => all(scripts.get(name) ?? '', /\b(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)
const loadedLater = (name: string) => all(scripts.get(name) ?? '', /\bimport\(\s*["'`]\.\/([^"'`]+\.js)["'`]/g)

/** These, and all that they lead to. */
function reach(from: readonly string[], next: (name: string) => string[], found = new Set<string>()): Set<string> {
  for (const name of from) {
    if (found.has(name)) continue
    found.add(name)
    reach(next(name), next, found)
  }
  return found
}

const sizeOf = (name: string) => gzipSync(scripts.get(name) ?? '').length
const totalOf = (found: Iterable<string>) => [...found].reduce((sum, name) => sum + sizeOf(name), 0)
const listed = (found: Iterable<string>) => [...found].map((name) => `${sizeOf(name)} ${name}`).join('\n')

const entries = all(html, /<script[^>]* src="\.\/assets\/([^"]+)"/g)
const preloaded = all(html, /<link rel="modulepreload"[^>]* href="\.\/assets\/([^"]+)"/g)
const initial = reach([...entries, ...preloaded], loadedWith)

describe('the scripts of the web application', () => {
  it('are all found by this test', () => {
    expect(entries).toHaveLength(1)
    expect(initial).toEqual(new Set([...entries, ...preloaded]))
    expect(reach(entries, (name) => [...loadedWith(name), ...loadedLater(name)])).toEqual(new Set(names))
  })

  it('need at most 150 kB gzipped before the first page shows', () => {
    expect(totalOf(initial), listed(initial)).toBeLessThanOrEqual(MOST_BYTES)
  })

  it.each(entries.flatMap(loadedLater))('need no more with %s and all that it loads later', (page) => {
    const later = (name: string) => (entries.includes(name) ? [] : [...loadedWith(name), ...loadedLater(name)])
    const found = new Set([...initial, ...reach([page], later)])
    expect(totalOf(found), listed(found)).toBeLessThanOrEqual(MOST_BYTES)
  })

  it('are files: nothing in the page itself runs', () => {
    const inline = all(html, /<script(?![^>]* src=)([^>]*)>/g).filter((how) => !how.includes('application/json'))
    expect(inline).toEqual([])
    expect(html).not.toMatch(/<[^>]+\son\w+\s*=/i)
    expect(html).not.toMatch(/javascript:/i)
    expect(html).not.toMatch(/<style|<[^>]+\sstyle\s*=/i)
  })
})
