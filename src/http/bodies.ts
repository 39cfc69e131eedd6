/** Bodies in: JSON and forms, nothing else. */
import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { describeField, invalid, Problem } from '../lib/problem.ts'
import { coerce } from './coerce.ts'

export const BODY_LIMIT = 1_048_576
/** Far more fields than any form of ours, and far fewer than would cost us anything. */
const FORM_FIELDS_MOST = 10_000

export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  // Fields called `__proto__` or `constructor` are fields that nobody knows, and are refused as such.
  const parseJson = app.getDefaultJsonParser('ignore', 'ignore')

  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Many clients announce JSON on a DELETE and then send nothing.
    if (body === '') return done(null, undefined)
    return parseJson(request, body as string, (error, value) => {
      if (error) done(new Problem('malformed_request', 'The body is not valid JSON.', { cause: error }))
      else done(null, value)
    })
  })

  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, { ...parse(body as string, '&', '=', { maxKeys: FORM_FIELDS_MOST }) })
  })

  app.addHook('preValidation', (request, _reply, done) => {
    const schema = request.routeOptions.schema
    if (schema !== undefined && schema.ownBody === undefined) respell(request, schema)
    done()
  })
}

function respell(request: FastifyRequest, schema: FastifySchema): void {
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false
  if (schema.params) request.params = coerce(schema.params, withoutNulls(request.params as object), false)
  if (schema.body) request.body = coerce(schema.body, request.body ?? {}, isForm)
  else refuseFields(request.body)
  if (schema.querystring) request.query = coerce(schema.querystring, request.query, true)
}

/** Where nothing is expected, whoever sends something expects it to have an effect. */
function refuseFields(body: unknown): void {
  if (body === undefined || body === null) return
  if (typeof body !== 'object' || Array.isArray(body)) throw invalid({ body: ['This request takes no body.'] })
  const unknown = Object.keys(body).map((name) => [name, [describeField(name, 'is not a known field')]])
  if (unknown.length > 0) throw invalid(Object.fromEntries(unknown))
}

/** No name holds a null character, so a path that does leads nowhere: an empty part matches no id. */
function withoutNulls(params: object): object {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, String(value).includes('\0') ? '' : value]),
  )
}
