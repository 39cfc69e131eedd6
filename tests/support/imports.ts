/** Reads the imports of source files, and finds cycles between files and folders. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

export interface Import {
  file: string
  /** A path from the project's root for our own files, otherwise a package name. */
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

/**
 * Lists the import cycles in each folder, at every level. In a folder, each subfolder counts as one unit with
 * everything in it, and the folder's own files together count as one more unit. So a folder's own files may import from
 * its subfolders, or the subfolders from these files, but not both. Then lists the cycles among the own files of each
 * folder.
 */
export function findCyclesByFolder(sources: Sources): Map<string, string[]> {
  const unitEdges = new Map<string, [string, string][]>()
  const fileEdges = new Map<string, [string, string][]>()
  for (const { file, importedModule } of listImports(sources)) {
    if (!sources.has(importedModule)) continue
    const folder = findCommonFolder(file, importedModule)
    const [from = '', to = ''] = [file, importedModule].map((path) => path.slice(folder.length))
    const edges = from.includes('/') || to.includes('/') ? unitEdges : fileEdges
    edges.set(folder, [...(edges.get(folder) ?? []), edges === fileEdges ? [from, to] : [getUnit(from), getUnit(to)]])
  }
  const cycles = new Map<string, string[]>()
  for (const [folder, edges] of [...unitEdges, ...fileEdges]) {
    const newCycles = findCycles(edges)
    if (newCycles.length > 0) cycles.set(folder, [...(cycles.get(folder) ?? []), ...newCycles])
  }
  return cycles
}

/** Returns the innermost folder that contains both files, with a `/` at the end. It is empty for the project's root. */
function findCommonFolder(file: string, other: string): string {
  let folder = ''
  for (const name of file.split('/').slice(0, -1)) {
    if (!other.startsWith(`${folder}${name}/`)) break
    folder += `${name}/`
  }
  return folder
}

function getUnit(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/') + 1) : 'own files'
}

/** Returns each cycle as `a → b → a`, or an empty array if there is none. */
export function findCycles(edges: Iterable<readonly [from: string, to: string]>): string[] {
  const targets = new Map<string, Set<string>>()
  for (const [from, to] of edges) {
    if (from === to) continue
    targets.set(from, (targets.get(from) ?? new Set()).add(to))
  }
  const finishedNodes = new Set<string>()
  const visit = (node: string, path: string[]): string[] => {
    if (path.includes(node)) return [[...path.slice(path.indexOf(node)), node].join(' → ')]
    if (finishedNodes.has(node)) return []
    const cycles = [...(targets.get(node) ?? [])].flatMap((target) => visit(target, [...path, node]))
    finishedNodes.add(node)
    return cycles
  }
  return [...targets.keys()].flatMap((node) => visit(node, []))
}
