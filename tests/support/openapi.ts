/** Holds every answer against what the API says about itself. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

interface Description {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)

const compiled = new WeakMap<object, ValidateFunction>()

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`)
}

export class AnswerCheck {
  readonly #schemas: Record<string, object>
  readonly #paths: { pattern: RegExp; operations: Record<string, Operation> }[]

  constructor(description: Description) {
    this.#schemas = description.components.schemas
    this.#paths = Object.entries(description.paths).map(([path, operations]) => ({
      pattern: patternOf(path),
      operations,
    }))
  }

  /** Only whole schemas are named and referred to. */
  #resolve(schema: object & { $ref?: string }): object {
    return schema.$ref === undefined ? schema : (this.#schemas[schema.$ref.split('/').at(-1) ?? ''] ?? schema)
  }

  /** Throws where an answer is not one that is described. */
  check(method: string, path: string, status: number, contentType: string, body: unknown): void {
    const operations = this.#paths.find(({ pattern }) => pattern.test(path))?.operations
    const operation = operations?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
    if (operation === undefined || method === 'HEAD') return
    const where = `${method} ${path} → ${status}`
    const response = operation.responses[status]
    if (response === undefined) throw new Error(`${where} is not described`)
    if (response.content === undefined && contentType === '' && body === undefined) return
    const content = Object.entries(response.content ?? {}).find(([type]) => contentType.startsWith(type))
    if (content === undefined) throw new Error(`${where} as ${contentType} is not described`)
    if (!contentType.includes('json')) return
    const schema = this.#resolve(content[1].schema)
    const validate = compiled.get(schema) ?? ajv.compile(schema)
    compiled.set(schema, validate)
    if (!validate(body)) throw new Error(`${where} is not as described: ${ajv.errorsText(validate.errors)}`)
  }
}
