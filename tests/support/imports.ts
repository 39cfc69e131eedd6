/** Reads the imports of source files, and finds cycles between folders. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

export interface Import {
  file: string
  /** For our own files a path from the project's root, otherwise a package name. */
  importedModule: string
  isTypeOnly: boolean
}

export type Sources = ReadonlyMap<string, string>

const root = resolve(import.meta.dirname, '../..')

/** Returns file contents by path from the project's root. */
export function readSources(folder: string, isIncluded: (path: string) => boolean): Sources {
  return new Map(
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter(isIncluded)
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  )
}

/** Lists every static, dynamic and type-only import, and every re-export. */
export function listImports(sources: Sources): Import[] {
  const importPattern = /(?:^(?:import|export) (type )?(?:[^'"]*? from )?|\bimport\(\s*)'([^']*)'/gm
  return [...sources].flatMap(([file, text]) =>
    [...text.matchAll(importPattern)].map(([, type, name = '']) => ({
      file,
      importedModule: name.startsWith('.') ? relative(root, resolve(root, dirname(file), name)) : name,
      isTypeOnly: type !== undefined,
    })),
  )
}

/** `src/keys/store.ts` is in `keys`; `traffic` is so large that its subfolders count as separate folders. */
export function getFolder(path: string): string {
  const [, folder = '', subfolder = ''] = dirname(path).split('/')
  return folder === 'traffic' ? `${folder}/${subfolder}` : folder
}

/** Returns each cycle as `a → b → a`, or an empty array if there is none. */
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
