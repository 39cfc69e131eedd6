/** Compares docs/flows.md with the code, so that its lists stay true. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface FlowEntry {
  number: number
  file: string
  /** The functions, classes and constants that the entry names between the file and the colon. */
  names: string[]
  text: string
}

const flows = read('docs/flows.md')
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [title = '', ...lines] = section.split('\n')
    return { title, entries: parseEntries(lines) }
  })

/** An entry is `1. \`file\` \`name\`, \`name\`: text`, and may continue on indented lines. */
function parseEntries(lines: readonly string[]): FlowEntry[] {
  const items = lines.join('\n').match(/^\d+\. .*(\n {3,4}\S.*)*/gm) ?? []
  return items.map((item) => {
    const [, number, file, names, text] = /^(\d+)\. `([^`]+)` ((?:`\w+`(?:, )?)+): (.*)$/s.exec(item) ?? []
    if (file === undefined || names === undefined || text === undefined) throw new Error(`Not an entry: ${item}`)
    return { number: Number(number), file, names: names.match(/\w+/g) ?? [], text }
  })
}

function defines(source: string, name: string): boolean {
  return new RegExp(`^(?:export )?(?:async )?(?:function\\*?|class|const) ${name}\\b`, 'm').test(source)
}

/** Whether `importer` imports `file`. An import of types counts, too. */
function imports(importer: string, file: string): boolean {
  const specifiers = [...read(importer).matchAll(/\bfrom '(\.[^']+)'/g)].map(([, specifier]) => specifier as string)
  return specifiers.some((specifier) => join(importer, '..', specifier) === file)
}

/**
 * Parses the beginning of an entry's text. It can name the job that runs the entry later, or the file that passes the
 * entry's function in.
 */
function parseHandOver(text: string): { job: string | undefined; passedInBy: string | undefined } {
  return {
    job: /^Later, the job `([^`]+)`/.exec(text)?.[1],
    passedInBy: /^Passed in by `([^`]+)`/.exec(text)?.[1],
  }
}

describe('docs/flows.md', () => {
  it('has four flows', () => {
    expect(flows.map(({ title }) => title)).toEqual([
      'From a page view to the counts',
      'From a check to a delivered alert',
      'Statistics with a filter',
      'The cost of an outage',
    ])
  })

  describe.each(flows)('$title', ({ entries }) => {
    it('numbers its files from 1, and names each file once', () => {
      expect(entries.length).toBeGreaterThan(0)
      expect(entries.map(({ number }) => number)).toEqual(entries.map((_, index) => index + 1))
      expect(new Set(entries.map(({ file }) => file)).size).toBe(entries.length)
    })

    it.each(entries)('names only functions, classes and constants that $file defines', ({ file, names }) => {
      expect(existsSync(join(root, file)), file).toBe(true)
      const source = read(file)
      expect(names.filter((name) => !defines(source, name))).toEqual([])
    })

    it.each(entries.slice(1))(
      'lists $file after a file that imports it, or says how the flow reaches it',
      ({ file, number, text }) => {
        const { job, passedInBy } = parseHandOver(text)
        const earlierFiles = entries.slice(0, number - 1).map((entry) => entry.file)
        if (job !== undefined) expect(read('src/app/jobs.ts')).toContain(`name: '${job}'`)
        else if (passedInBy !== undefined) expect(imports(passedInBy, file), `${passedInBy} imports ${file}`).toBe(true)
        else expect(earlierFiles.filter((earlier) => imports(earlier, file))).not.toEqual([])
      },
    )
  })
})
