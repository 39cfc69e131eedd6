/** Keeps the directions of the house: what may know what. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter(
    (name) =>
      name.endsWith('.ts') &&
      !name.endsWith('.test.ts') &&
      !name.endsWith('.d.ts') &&
      !name.endsWith('test-support.ts'),
  )
  .map((name) => join('src', name))

const source = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))

/** What a file imports when it runs; types leave no trace. */
function importsOf(file: string): string[] {
  const statements = (source.get(file) ?? '').matchAll(/^(?:import|export) (?!type )(?:[^'"]*? from )?'([^']+)'/gm)
  return [...statements].map(([, name = '']) =>
    name.startsWith('.') ? relative(root, resolve(root, dirname(file), name)) : name,
  )
}

function offenders(rule: (file: string, imported: string) => boolean): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => rule(file, imported))
      .map((imported) => `${file} → ${imported}`),
  )
}

/** The pages, without what only tests and builds run. */
const pages = new Map(
  readdirSync(join(root, 'web'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|^\.?dist/.test(name))
    .map((name) => join('web', name))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
)

/** Every file that another one names: what it imports or takes from, at once, later or as a type alone. */
function namedIn(sources: ReadonlyMap<string, string>): { file: string; named: string; isType: boolean }[] {
  const naming = /(?:^(?:import|export) (type )?(?:[^'"]*? from )?|\bimport\(\s*)'(\.[^']*)'/gm
  return [...sources].flatMap(([file, text]) =>
    [...text.matchAll(naming)].map(([, type, name = '']) => ({
      file,
      named: relative(root, resolve(root, dirname(file), name)),
      isType: type !== undefined,
    })),
  )
}

const isRoutes = (file: string) => /(^|-)routes\.ts$/.test(file.split('/').at(-1) ?? '')

describe('the house', () => {
  it('reads the environment in one file', () => {
    expect(files.filter((file) => source.get(file)?.includes('process.env'))).toEqual(['src/config/config.ts'])
  })

  it('knows Fastify only in http/ and routes', () => {
    expect(
      offenders((file, imported) => /fastify/.test(imported) && !file.startsWith('src/http/') && !isRoutes(file)),
    ).toEqual([])
  })

  it('has lib know nothing but itself', () => {
    expect(
      offenders(
        (file, imported) =>
          file.startsWith('src/lib/') && imported.startsWith('src/') && !imported.startsWith('src/lib/'),
      ),
    ).toEqual([])
  })

  it('has storage know nothing but lib', () => {
    expect(
      offenders(
        (file, imported) => file.startsWith('src/storage/') && /^src\/(?!storage\/|lib\/|config\.ts)/.test(imported),
      ),
    ).toEqual([])
  })

  it('has rules and stores know nothing of http', () => {
    expect(
      offenders(
        (file, imported) =>
          imported.startsWith('src/http/') &&
          !file.startsWith('src/http/') &&
          !isRoutes(file) &&
          !/^src\/(cli\/|server\.ts)/.test(file),
      ),
    ).toEqual([])
  })

  it('holds SQL only in stores and storage', () => {
    const sql = /[`'"]\s*(select |insert into |update \w+ set |delete from )/i
    expect(
      files.filter(
        (file) => sql.test(source.get(file) ?? '') && !/store\.ts$/.test(file) && !file.startsWith('src/storage/'),
      ),
    ).toEqual([])
  })

  it('has the pages take shapes of the server and none of its code, and the server nothing of the pages', () => {
    // What holds one shape and is named for it.
    const isShape = (file: string) => /(^|[/-])schema\.ts$|^src\/(keys\/scopes|incidents\/causes)\.ts$/.test(file)
    expect(namedIn(pages).filter(({ isType, named }) => /^src\//.test(named) && !(isType && isShape(named)))).toEqual(
      [],
    )
    expect(namedIn(source).filter(({ named }) => /^web\//.test(named))).toEqual([])
  })

  it('goes round in no circle', () => {
    const done = new Set<string>()
    const visit = (file: string, path: string[]): string[] => {
      if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(' → ')]
      if (done.has(file)) return []
      const found = importsOf(file)
        .filter((imported) => source.has(imported))
        .flatMap((imported) => visit(imported, [...path, file]))
      done.add(file)
      return found
    }
    expect(files.flatMap((file) => visit(file, []))).toEqual([])
  })
})
