/** Validates Kubernetes manifests against the API's published schemas, which the package kubernetes-models contains. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv, type AnySchemaObject } from 'ajv'
import formats from 'ajv-formats'

const packages = resolve(import.meta.dirname, '../../node_modules')
const schemaFolders = ['kubernetes-models/_schemas', '@kubernetes-models/apimachinery/_schemas']

export interface KubernetesObject {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string> }
}

/** API versions that the manifests use, and their names in the schemas. */
const schemaGroups: Readonly<Record<string, string>> = {
  v1: 'io.k8s.api.core.v1',
  'apps/v1': 'io.k8s.api.apps.v1',
  'networking.k8s.io/v1': 'io.k8s.api.networking.v1',
  'policy/v1': 'io.k8s.api.policy.v1',
}

// Importing the package would compile its schemas. Reading them from its files as JSON allows us to make them stricter.
function readSchema(id: string): AnySchemaObject {
  const name = id.split('.').map((part) => part.charAt(0).toUpperCase() + part.slice(1))
  const paths = schemaFolders.map((folder) => join(packages, folder, `${name.join('')}.js`))
  const path = paths.find((candidate) => existsSync(candidate))
  if (path === undefined) throw new Error(`There is no schema ${id}.`)
  const [, json = ''] = /^const schema = (\{$.*?^\});$/ms.exec(readFileSync(path, 'utf8')) ?? []
  return { $id: id, ...rejectUnknownFields(JSON.parse(json)) }
}

/**
 * Rejects unknown fields, as `kubectl apply --validate=strict` does. The published schemas allow unknown fields, so
 * they would ignore a misspelled name.
 */
function rejectUnknownFields<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(rejectUnknownFields) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([name, value]) => [name, rejectUnknownFields(value)])
  const isClosed =
    'properties' in schema && typeof schema.properties === 'object' && !('additionalProperties' in schema)
  return { ...Object.fromEntries(entries), ...(isClosed && { additionalProperties: false }) }
}

const ajv = new Ajv({
  allErrors: true,
  strict: false,
  // Compiling a schema takes longer than validating a few small manifests, so compile to less optimized code.
  inlineRefs: false,
  code: { optimize: false },
  loadSchema: async (id) => readSchema(id),
})
formats.default(ajv)
ajv.addFormat('quantity', /^[+-]?(\d+|\d+\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/)

/** Returns what is wrong with a manifest. */
export async function listSchemaErrors(manifest: KubernetesObject): Promise<string[]> {
  const group = schemaGroups[manifest.apiVersion]
  if (group === undefined) return [`${manifest.apiVersion} is not an API version that these tests know`]
  const id = `${group}.${manifest.kind}`
  const validate = ajv.getSchema(id) ?? (await ajv.compileAsync(readSchema(id)))
  if (validate(manifest)) return []
  // An optional field may have a value or be null. If the value is wrong, leave out the errors which say that it is not
  // null either.
  const errors = (validate.errors ?? []).filter(
    ({ keyword, params }) => keyword !== 'oneOf' && params['type'] !== 'null',
  )
  return errors.map(({ instancePath, message, params }) => {
    const field = params['additionalProperty']
    return `${instancePath} ${message}${field === undefined ? '' : `: ${field}`}`
  })
}
