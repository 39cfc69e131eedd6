/** Enforces the rules about imports and files that CONTRIBUTING describes. */
import { describe, expect, it } from 'vitest'
import { findCycles, findCyclesByFolder, listImports, readSources } from './support/imports.ts'

const serverSources = readSources('src', (path) => path.endsWith('.ts') && !/\.(test|d)\.ts$/.test(path))
const pageSources = readSources('web', (path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|^web\/\.?dist/.test(path))
const serverImports = listImports(serverSources)

/** All source files except `*.test.ts`, which nothing imports. */
const allSources = new Map(
  ['bench', 'packaging', 'scripts', 'src', 'status-page', 'tests', 'tracker', 'web'].flatMap((folder) => [
    ...readSources(folder, (path) => /\.tsx?$/.test(path) && !/\.(test|d)\.tsx?$|^web\/\.?dist/.test(path)),
  ]),
)

/** Folders that still have import cycles. Remove a folder from this list when its cycles are gone. */
const foldersWithCycles: string[] = []

/** Imports that exist at run time. Imports of types are erased. */
const runtimeImports = serverImports.filter(({ isTypeOnly }) => !isTypeOnly)

function findViolations(rule: (file: string, importedModule: string) => boolean, imports = runtimeImports): string[] {
  return imports
    .filter(({ file, importedModule }) => rule(file, importedModule))
    .map(({ file, importedModule }) => `${file} → ${importedModule}`)
}

const isRouteFile = (file: string) => /(^|-)routes\.ts$/.test(file.split('/').at(-1) ?? '')
const isIn = (file: string, ...folders: string[]) => folders.some((folder) => file.startsWith(`src/${folder}/`))

describe('the architecture', () => {
  it('reads the environment in only one file', () => {
    expect([...serverSources].filter(([, text]) => text.includes('process.env')).map(([file]) => file)).toEqual([
      'src/config/config.ts',
    ])
  })

  it('uses Fastify only in app/, http/ and routes', () => {
    expect(
      findViolations(
        (file, importedModule) => /fastify/.test(importedModule) && !isIn(file, 'app', 'http') && !isRouteFile(file),
      ),
    ).toEqual([])
  })

  it('keeps lib/ independent of everything else', () => {
    expect(
      findViolations(
        (file, importedModule) =>
          isIn(file, 'lib') && importedModule.startsWith('src/') && !isIn(importedModule, 'lib'),
        serverImports,
      ),
    ).toEqual([])
  })

  it('lets http/ import only outgoing/, storage/, config/, shared/ and lib/', () => {
    expect(
      findViolations(
        (file, importedModule) =>
          isIn(file, 'http') &&
          importedModule.startsWith('src/') &&
          !isIn(importedModule, 'http', 'outgoing', 'storage', 'config', 'shared', 'lib'),
        serverImports,
      ),
    ).toEqual([])
  })

  it('lets storage/ import only config/, shared/ and lib/', () => {
    expect(
      findViolations(
        (file, importedModule) =>
          isIn(file, 'storage') &&
          importedModule.startsWith('src/') &&
          !isIn(importedModule, 'storage', 'config', 'shared', 'lib'),
        serverImports,
      ),
    ).toEqual([])
  })

  it('keeps shared/ to constants and pure functions, without imports from other folders', () => {
    expect(
      findViolations((file, importedModule) => isIn(file, 'shared') && !isIn(importedModule, 'shared'), serverImports),
    ).toEqual([])
    // These are the ways to keep state, or to read the time, the language or the environment.
    const impurePattern = /\b(class|new|process|Date|Intl|Temporal|toLocale\w*)\b|^(let|var)\b/m
    expect(
      [...serverSources].filter(([file, text]) => isIn(file, 'shared') && impurePattern.test(removeComments(text))),
    ).toEqual([])
  })

  it('keeps imports of http/ out of rules and stores', () => {
    expect(
      findViolations(
        (file, importedModule) =>
          isIn(importedModule, 'http') && !isIn(file, 'http', 'app', 'cli', 'web') && !isRouteFile(file),
      ),
    ).toEqual([])
  })

  it('writes SQL only in stores and storage/', () => {
    const sqlPattern = /[`'"]\s*(select |insert into |update \w+ set |delete from )/i
    expect(
      [...serverSources]
        .filter(([file, text]) => sqlPattern.test(text) && !/store\.ts$/.test(file) && !isIn(file, 'storage'))
        .map(([file]) => file),
    ).toEqual([])
  })

  it('lets the pages import only shared/, and types from schemas', () => {
    const isSchema = (file: string) => /(^|[/-])schema\.ts$/.test(file)
    const isAllowed = (importedModule: string, isTypeOnly: boolean) =>
      isIn(importedModule, 'shared') || (isTypeOnly && isSchema(importedModule))
    expect(
      listImports(pageSources).filter(
        ({ importedModule, isTypeOnly }) => importedModule.startsWith('src/') && !isAllowed(importedModule, isTypeOnly),
      ),
    ).toEqual([])
    expect(findViolations((_file, importedModule) => importedModule.startsWith('web/'), serverImports)).toEqual([])
  })

  it('formats dates, numbers and durations for readers in only one file of the pages', () => {
    // A fixed language, such as 'en-CA', is for arithmetic with days and not for readers.
    const formatter =
      /Intl\.(DateTime|Number|RelativeTime|Duration)Format\((?!language\b|')|toLocale(Date|Time)?String\((?!')/
    const files = [...pageSources].filter(([, source]) => formatter.test(source)).map(([file]) => file)
    expect(files).toEqual(['web/lib/format.ts'])
  })

  it('has no import cycle between files', () => {
    expect(findCycles(runtimeImports.map(({ file, importedModule }) => [file, importedModule]))).toEqual([])
  })

  it('has no import cycle in any folder: between its subfolders, between a subfolder and its own files, or among its own files', () => {
    const cycles = findCyclesByFolder(allSources)
    for (const folder of foldersWithCycles)
      expect.soft(cycles.has(folder), `${folder} has no cycle any more`).toBe(true)
    for (const folder of foldersWithCycles) cycles.delete(folder)
    expect(Object.fromEntries(cycles)).toEqual({})
  })
})

describe('the search for import cycles', () => {
  const findIn = (files: Record<string, string>) =>
    Object.fromEntries(
      findCyclesByFolder(
        new Map(Object.entries(files).map(([file, name]) => [file, `import type { A } from '${name}'\n`])),
      ),
    )

  it('finds a cycle between folders that only a type import closes', () => {
    expect(findIn({ 'src/lib/a.ts': '../storage/b.ts', 'src/storage/b.ts': '../lib/a.ts' })).toEqual({
      'src/': ['lib/ → storage/ → lib/'],
    })
  })

  it('finds a cycle between a subfolder and the files of its parent folder, also through different files', () => {
    const files = { 'src/a/list.ts': './kinds/b.ts', 'src/a/kinds/b.ts': '../kind.ts', 'src/a/kind.ts': 'fs' }
    expect(findIn(files)).toEqual({ 'src/a/': ['own files → kinds/ → own files'] })
  })

  it('finds a cycle among the files of a folder', () => {
    expect(findIn({ 'src/a/b.ts': './c.ts', 'src/a/c.ts': './b.ts' })).toEqual({ 'src/a/': ['b.ts → c.ts → b.ts'] })
  })

  it('accepts imports in one direction', () => {
    expect(findIn({ 'src/a/b.ts': './c/d.ts', 'src/a/c/d.ts': '../../lib/e.ts', 'src/lib/e.ts': 'fs' })).toEqual({})
  })
})

function removeComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
}
