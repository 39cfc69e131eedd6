/** What files import, read from their text, and the cycles that their folders form. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

export interface Import {
  file: string
  /** A path from the root of the project for a file of ours, otherwise a package name. */
  imported: string
  isTypeOnly: boolean
}

export type Sources = ReadonlyMap<string, string>

const root = resolve(import.meta.dirname, '../..')

/** Paths from the root of the project, with their contents. */
export function readSources(folder: string, isIncluded: (path: string) => boolean): Sources {
  return new Map(
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter(isIncluded)
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  )
}

/** Every static, dynamic and type-only import, and every re-export. */
export function importsOf(sources: Sources): Import[] {
  const statement = /(?:^(?:import|export) (type )?(?:[^'"]*? from )?|\bimport\(\s*)'([^']*)'/gm
  return [...sources].flatMap(([file, text]) =>
    [...text.matchAll(statement)].map(([, type, name = '']) => ({
      file,
      imported: name.startsWith('.') ? relative(root, resolve(root, dirname(file), name)) : name,
      isTypeOnly: type !== undefined,
    })),
  )
}

/** `src/keys/store.ts` is in `keys`; traffic is so large that its subfolders count as folders of their own. */
export function folderOf(path: string): string {
  const [, first = '', second = ''] = dirname(path).split('/')
  return first === 'traffic' ? `${first}/${second}` : first
}

/** Each cycle as `a → b → a`. Empty when the graph has none. */
export function findCycles(edges: Iterable<readonly [from: string, to: string]>): string[] {
  const targets = new Map<string, Set<string>>()
  for (const [from, to] of edges) {
    if (from === to) continue
    targets.set(from, (targets.get(from) ?? new Set()).add(to))
  }
  const finished = new Set<string>()
  const visit = (node: string, path: string[]): string[] => {
    if (path.includes(node)) return [[...path.slice(path.indexOf(node)), node].join(' → ')]
    if (finished.has(node)) return []
    const cycles = [...(targets.get(node) ?? [])].flatMap((target) => visit(target, [...path, node]))
    finished.add(node)
    return cycles
  }
  return [...targets.keys()].flatMap((node) => visit(node, []))
}
