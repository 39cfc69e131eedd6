/** Settings that only monitors of type http have. */
import type { Static } from 'typebox'
import { inputField, nullable, stringEnum } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import {
  httpDefaults,
  httpMethods,
  jsonOperators,
  MAX_EXPECTED_STATUS_LENGTH,
  MAX_JSON_ASSERTIONS,
  MAX_JSON_PATH_LENGTH,
  MAX_JSON_VALUE_LENGTH,
  MAX_KEYWORD_LENGTH,
  MAX_REDIRECTS,
  MAX_REQUEST_BODY_LENGTH,
  MAX_REQUEST_HEADERS,
  MAX_RESPONSE_LIMIT_MS,
} from '../shared/monitors.ts'

const headers = (description: string, example: string) =>
  Type.Record(Type.String(), Type.String(), {
    description,
    maxProperties: MAX_REQUEST_HEADERS,
    examples: [{ Authorization: example }],
  })

const descriptions = {
  body: 'Request body',
  expected_status: 'Accepted status codes and ranges, separated by commas',
  keyword: 'Text that the response must contain',
  keyword_absent: 'Text that the response must not contain',
  follow_redirects: `Whether to follow redirects, at most ${MAX_REDIRECTS}`,
  verify_tls: 'Whether the certificate must be valid',
}

const body = nullable(
  Type.String({ maxLength: MAX_REQUEST_BODY_LENGTH, description: descriptions.body, examples: ['{"ping": true}'] }),
)
const keyword = (description: string, example: string) =>
  nullable(Type.String({ minLength: 1, maxLength: MAX_KEYWORD_LENGTH, description, examples: [example] }))

export const JsonAssertion = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: MAX_JSON_PATH_LENGTH,
      description: 'JSONPath (RFC 9535) of the values to test',
      examples: ['$.status'],
    }),
    op: stringEnum(jsonOperators, { examples: ['equals'] }),
    value: Type.Optional(
      Type.Unsafe<string | number | boolean | null>({
        type: ['string', 'number', 'boolean', 'null'],
        maxLength: MAX_JSON_VALUE_LENGTH,
        description: 'What to compare with. For `exists`: false if the path must select nothing',
        examples: ['ok'],
      }),
    ),
  },
  { additionalProperties: false },
)
export type JsonAssertion = Static<typeof JsonAssertion>

const json = Type.Array(JsonAssertion, {
  maxItems: MAX_JSON_ASSERTIONS,
  description: 'Assertions about the JSON in the response. All of them must hold',
})
const maxResponseMs = nullable(
  Type.Integer({
    minimum: 1,
    maximum: MAX_RESPONSE_LIMIT_MS,
    description: 'Milliseconds. A slower response is a failure with cause `slow`',
    examples: [2_000],
  }),
)

export function createHttpInputSchema(isNew: boolean) {
  return Type.Object(
    {
      method: inputField(stringEnum(httpMethods), isNew, httpDefaults.method),
      headers: Type.Optional(
        nullable(
          headers(
            'The sent headers replace all stored ones. A value that equals the displayed last four characters keeps the stored value. If `url` changes to another origin, or `verify_tls` to false, all values must be sent in full.',
            'Bearer abcdef',
          ),
        ),
      ),
      body: Type.Optional(body),
      expected_status: inputField(
        Type.String({ minLength: 1, maxLength: MAX_EXPECTED_STATUS_LENGTH, description: descriptions.expected_status }),
        isNew,
        httpDefaults.expected_status,
      ),
      keyword: Type.Optional(keyword(descriptions.keyword, 'Welcome')),
      keyword_absent: Type.Optional(keyword(descriptions.keyword_absent, 'Fatal error')),
      follow_redirects: inputField(
        Type.Boolean({ description: descriptions.follow_redirects }),
        isNew,
        httpDefaults.follow_redirects,
      ),
      verify_tls: inputField(Type.Boolean({ description: descriptions.verify_tls }), isNew, httpDefaults.verify_tls),
      json: Type.Optional(json),
      max_response_ms: Type.Optional(maxResponseMs),
    },
    { additionalProperties: false, description: 'Only for type http' },
  )
}

export const HttpRecord = Type.Object(
  {
    method: stringEnum(httpMethods, { examples: ['GET'] }),
    headers: headers(
      'Header names, each with the last four characters of its value. Values are stored encrypted',
      'cdef',
    ),
    body,
    expected_status: Type.String({ description: descriptions.expected_status, examples: ['200-299,301'] }),
    keyword: keyword(descriptions.keyword, 'Welcome'),
    keyword_absent: keyword(descriptions.keyword_absent, 'Fatal error'),
    follow_redirects: Type.Boolean({ description: descriptions.follow_redirects, examples: [true] }),
    verify_tls: Type.Boolean({ description: descriptions.verify_tls, examples: [true] }),
    json,
    max_response_ms: maxResponseMs,
  },
  { additionalProperties: false },
)

export type HttpInput = Static<ReturnType<typeof createHttpInputSchema>>

/** Has the same fields as `HttpRecord`, but with the full values of the headers. */
export type HttpSettings = Static<typeof HttpRecord>

export const defaultHttpSettings: HttpSettings = {
  ...httpDefaults,
  headers: {},
  body: null,
  keyword: null,
  keyword_absent: null,
  json: [],
  max_response_ms: null,
}
