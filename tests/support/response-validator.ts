/** Validates responses against the OpenAPI document. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)

/**
 * Validators by the text of their schema, because servers with different roles have equal schemas in different
 * documents, and compiling is slow.
 */
const validators = new Map<string, ValidateFunction>()
const validatorsBySchema = new WeakMap<object, ValidateFunction>()

function findValidator(schema: object): ValidateFunction {
  const cachedValidator = validatorsBySchema.get(schema)
  if (cachedValidator !== undefined) return cachedValidator
  const text = JSON.stringify(schema)
  const validator = validators.get(text) ?? ajv.compile(schema)
  validators.set(text, validator)
  validatorsBySchema.set(schema, validator)
  return validator
}

function toPathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`)
}

export class ResponseValidator {
  readonly #schemas: Record<string, object>
  readonly #paths: { pattern: RegExp; operations: Record<string, Operation> }[]

  constructor(document: OpenApiDocument) {
    this.#schemas = document.components.schemas
    const isFixed = ([path]: [string, unknown]) => !path.includes('{')
    // Fixed paths come first: otherwise, /api/monitors/bulk would match /api/monitors/{id}.
    this.#paths = Object.entries(document.paths)
      .sort((a, b) => Number(isFixed(b)) - Number(isFixed(a)))
      .map(([path, operations]) => ({ pattern: toPathPattern(path), operations }))
  }

  /** Every `$ref` has the form `#/components/schemas/<name>`, so its last part is the name of the schema. */
  #resolve(schema: object & { $ref?: string }): object {
    return schema.$ref === undefined ? schema : (this.#schemas[schema.$ref.split('/').at(-1) ?? ''] ?? schema)
  }

  isDocumented(method: string, path: string): boolean {
    return this.#findOperation(method, path) !== undefined
  }

  #findOperation(method: string, path: string): Operation | undefined {
    const operations = this.#paths.find(({ pattern }) => pattern.test(path))?.operations
    return operations?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
  }

  /** Throws if the document doesn't allow this response. */
  validate(
    method: string,
    path: string,
    { status, contentType, body }: { status: number; contentType: string; body: unknown },
  ): void {
    const operation = this.#findOperation(method, path)
    if (operation === undefined || method === 'HEAD') return
    const name = `${method} ${path} → ${status}`
    const response = operation.responses[status]
    if (response === undefined) throw new Error(`${name} is not documented`)
    if (response.content === undefined && contentType === '' && body === undefined) return
    const content = Object.entries(response.content ?? {}).find(([type]) => contentType.startsWith(type))
    if (content === undefined) throw new Error(`${name} as ${contentType} is not documented`)
    if (!contentType.includes('json')) return
    const schema = this.#resolve(content[1].schema)
    const validate = findValidator(schema)
    if (!validate(body))
      throw new Error(`${name} does not match the OpenAPI document: ${ajv.errorsText(validate.errors)}`)
  }
}
