/** Enforces the rules about imports and files that CONTRIBUTING describes. */
import { describe, expect, it } from 'vitest'
import { findCycles, getFolder, listImports, readSources } from './support/imports.ts'

const serverSources = readSources('src', (path) => path.endsWith('.ts') && !/\.(test|d)\.ts$/.test(path))
const pageSources = readSources('web', (path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|^web\/\.?dist/.test(path))
const serverImports = listImports(serverSources)

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
  it('reads the environment in one file', () => {
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

  it('keeps domains out of http/', () => {
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

  it('keeps domains out of storage/', () => {
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

  it('keeps http/ out of rules and stores', () => {
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

  it('lets the pages import only types from schemas, and shared/', () => {
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

  it('has no import cycle between files', () => {
    expect(findCycles(runtimeImports.map(({ file, importedModule }) => [file, importedModule]))).toEqual([])
  })

  it('has no import cycle between folders, types included', () => {
    expect(findCycles(listFolderEdges(serverSources))).toEqual([])
  })
})

describe('the search for import cycles', () => {
  it('finds a cycle between folders that only a type import closes', () => {
    const sourcesWithCycle = new Map([
      ...serverSources,
      ['src/lib/closes-cycle.ts', "import type { Caller } from '../storage/caller.ts'\n"],
    ])
    expect(findCycles(listFolderEdges(sourcesWithCycle))).toContainEqual(
      expect.stringMatching(/lib → storage → .*lib|storage → lib → storage/),
    )
  })
})

function listFolderEdges(sources: ReadonlyMap<string, string>): (readonly [string, string])[] {
  return listImports(sources)
    .filter(({ importedModule }) => importedModule.startsWith('src/'))
    .map(({ file, importedModule }) => [getFolder(file), getFolder(importedModule)] as const)
}

function removeComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
}
