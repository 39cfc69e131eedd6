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

const validatorsBySchema = new Map<string, ValidateFunction>()

/**
 * All servers of a process share the validators. Compiling those of all routes takes about 90 ms, and tests start hundreds of
 * servers.
 */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema }) => {
  const key = JSON.stringify(schema)
  const validator = validatorsBySchema.get(key) ?? ajv.compile(schema)
  validatorsBySchema.set(key, validator)
  return validator
}
