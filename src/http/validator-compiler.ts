/** Compiles the schemas of routes into validators. */
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'

const ajv = new Ajv({
  allErrors: true,
  // Adds the schema to errors, so that a message can name both ends of a range.
  verbose: true,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: true,
  allowUnionTypes: true,
  addUsedSchema: false,
})
addFormats.default(ajv)

type Validator = ReturnType<FastifySchemaCompiler<object>>

const validatorsBySchema = new Map<string, Validator>()

/** All servers of a process share the validators, so that tests, which start hundreds of servers, compile a schema once. */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema }) => {
  const key = JSON.stringify(schema)
  const validator = validatorsBySchema.get(key) ?? createValidator(schema)
  validatorsBySchema.set(key, validator)
  return validator
}

/**
 * Compiles the schema when it validates for the first time. Compiling the schemas of all routes at the start would take
 * 0.1 s and 3 MB.
 */
function createValidator(schema: object): Validator {
  let compiled: ValidateFunction | undefined
  const validate: Validator = (value: unknown) => {
    compiled ??= ajv.compile(schema)
    const isValid = compiled(value)
    validate.errors = compiled.errors ?? null
    return isValid
  }
  return validate
}
