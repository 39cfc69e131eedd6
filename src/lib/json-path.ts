/** JSONPath expressions (RFC 9535). */
import type { JSONPathQuery } from 'json-p3'
import { BoundedMap } from './bounded-map.ts'
import type { ParseResult } from './field-parser.ts'
import { requireSeparateModule } from './separate-module.ts'

type JsonP3 = typeof import('./json-path-library.ts')

/** A descendant segment such as `$..name` fails in a document with more levels than this. */
export const MAX_JSON_DEPTH = 500
const MAX_CACHED_PATHS = 1_000

let loadedLibrary: { jsonP3: JsonP3; environment: InstanceType<JsonP3['JSONPathEnvironment']> } | undefined

/** Loads the library at its first use, because it takes 10 ms and 7 MB, and many servers have no JSON assertions. */
function getLibrary() {
  if (loadedLibrary === undefined) {
    const jsonP3: JsonP3 = requireSeparateModule('json-path-library', import.meta.url)
    const environment = new jsonP3.JSONPathEnvironment({ strict: true, maxRecursionDepth: MAX_JSON_DEPTH })
    loadedLibrary = { jsonP3, environment }
  }
  return loadedLibrary
}

const compiledPaths = new BoundedMap<string, JSONPathQuery>(MAX_CACHED_PATHS)

/** Throws if the path is not valid. */
export function compileJsonPath(path: string): JSONPathQuery {
  const cachedQuery = compiledPaths.get(path)
  if (cachedQuery !== undefined) return cachedQuery
  const query = getLibrary().environment.compile(path)
  compiledPaths.set(path, query)
  return query
}

/**
 * Whether a path selects at most one value, such as `$.a[0].b`. The time to evaluate such a path depends only on its
 * length.
 */
export const isSingularPath = (path: string): boolean => compileJsonPath(path).singularQuery()

export const isDepthError = (error: unknown): boolean =>
  error instanceof getLibrary().jsonP3.JSONPathRecursionLimitError

export function parseJsonPath(text: string): ParseResult<string> {
  const path = text.trim()
  if (!path.startsWith('$')) return { errors: ['must begin with $, as in $.status'] }
  try {
    compileJsonPath(path)
    return { value: path }
  } catch (error) {
    const { JSONPathError, JSONPathLexerError } = getLibrary().jsonP3
    if (!(error instanceof JSONPathError)) throw error
    const { index } = error.token
    if (error instanceof JSONPathLexerError || index >= path.length) {
      return { errors: ['must be a complete JSONPath: it ends too early'] }
    }
    // The library appends an excerpt of the path and the index to its message. Our message names the position in a
    // readable way instead.
    const problem = error.message.replace(/ \('.*':\d+\)$/s, '')
    return { errors: [`must be a valid JSONPath: ${problem} (at character ${index + 1})`] }
  }
}
