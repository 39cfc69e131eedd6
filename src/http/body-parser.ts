/** Parses request bodies: JSON and forms only. */
import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { formatFieldError, invalid, Problem } from '../lib/problem.ts'
import { coerce } from './coerce.ts'
import { limitFieldNames, limitJson, limitParameters } from './input-limits.ts'

export const MAX_BODY_BYTES = 1_048_576

export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  // With 'ignore', fields called `__proto__` or `constructor` reach validation, which rejects them as unknown.
  const parseJson = app.getDefaultJsonParser('ignore', 'ignore')

  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Many clients send DELETE with a JSON content type and no body.
    if (body === '') return done(null, undefined)
    limitJson(body as string)
    return parseJson(request, body as string, (error, value) => {
      if (error) done(new Problem('malformed_request', 'The body is not valid JSON.', { cause: error }))
      else done(null, value)
    })
  })

  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, (_request, bytes, done) => {
    const body = decodeForm(bytes as Buffer)
    limitParameters(body, 'body')
    const fields = { ...parse(body, '&', '=', { maxKeys: 0 }) }
    limitFieldNames(fields, 'body')
    done(null, fields)
  })

  app.addHook('preValidation', (request, _reply, done) => {
    const schema = request.routeOptions.schema
    if (schema !== undefined) coerceRequest(request, schema)
    done()
  })
}

const [PLUS, SPACE] = Buffer.from('+ ') as unknown as [number, number]

/** Replaces plus signs, which stand for spaces. `parse` would take up to 200 ms for the million plus signs that fit into a body. */
function decodeForm(bytes: Buffer): string {
  for (let offset = 0; offset < bytes.length; offset++) if (bytes[offset] === PLUS) bytes[offset] = SPACE
  return bytes.toString()
}

function coerceRequest(request: FastifyRequest, schema: FastifySchema): void {
  const isForm = /^\s*application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')
  if (schema.params)
    request.params = coerce(schema.params, emptyParamsWithNullCharacters(request.params as object), false)
  if (schema.selfParsedBody) return
  if (schema.body) request.body = coerce(schema.body, request.body ?? {}, isForm)
  else rejectFields(request.body)
  if (schema.querystring) {
    limitParameters(request.url, 'query')
    limitFieldNames(request.query as object, 'query')
    request.query = coerce(schema.querystring, request.query, true)
  }
}

/**
 * Rejects fields at endpoints that have no body fields. A client that sends fields expects them to have an effect, so
 * ignoring them would be misleading.
 */
function rejectFields(body: unknown): void {
  if (body === undefined || body === null) return
  if (typeof body !== 'object' || Array.isArray(body)) throw invalid({ body: ['This request takes no body.'] })
  const errors = Object.keys(body).map((name) => [name, [formatFieldError(name, 'is not a known field')]])
  if (errors.length > 0) throw invalid(Object.fromEntries(errors))
}

/** PostgreSQL can't store null characters, so a parameter that contains one matches no record. Emptying it leads to a 404 response. */
function emptyParamsWithNullCharacters(params: object): object {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, String(value).includes('\0') ? '' : value]),
  )
}
