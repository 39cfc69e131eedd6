/** The part of a monitor that is for type http alone. */
import { type Static, Type } from 'typebox'
import { inputField, nullable, stringEnum } from '../lib/schemas.ts'
import {
  httpDefaults,
  httpMethods,
  MAX_EXPECTED_STATUS_LENGTH,
  MAX_KEYWORD_LENGTH,
  MAX_REDIRECTS,
  MAX_REQUEST_BODY_LENGTH,
  MAX_REQUEST_HEADERS,
} from '../shared/monitors.ts'

const headers = (description: string, example: string) =>
  Type.Record(Type.String(), Type.String(), {
    description,
    maxProperties: MAX_REQUEST_HEADERS,
    examples: [{ Authorization: example }],
  })

const httpText = {
  body: 'What is sent',
  expected_status: 'Statuses and ranges that are fine, with commas between',
  keyword: 'Must appear in the answer',
  keyword_absent: 'Must not appear in the answer',
  follow_redirects: `At most ${MAX_REDIRECTS} of them`,
  verify_tls: 'Whether the certificate must be valid',
}

const body = nullable(
  Type.String({ maxLength: MAX_REQUEST_BODY_LENGTH, description: httpText.body, examples: ['{"ping": true}'] }),
)
const keyword = (description: string, example: string) =>
  nullable(Type.String({ minLength: 1, maxLength: MAX_KEYWORD_LENGTH, description, examples: [example] }))

export function httpInput(isNew: boolean) {
  return Type.Object(
    {
      method: inputField(stringEnum(httpMethods), isNew, httpDefaults.method),
      headers: Type.Optional(
        nullable(headers('Replaces all. A value that equals its shown end stays as it is.', 'Bearer abcdef')),
      ),
      body: Type.Optional(body),
      expected_status: inputField(
        Type.String({ minLength: 1, maxLength: MAX_EXPECTED_STATUS_LENGTH, description: httpText.expected_status }),
        isNew,
        httpDefaults.expected_status,
      ),
      keyword: Type.Optional(keyword(httpText.keyword, 'Welcome')),
      keyword_absent: Type.Optional(keyword(httpText.keyword_absent, 'Fatal error')),
      follow_redirects: inputField(
        Type.Boolean({ description: httpText.follow_redirects }),
        isNew,
        httpDefaults.follow_redirects,
      ),
      verify_tls: inputField(Type.Boolean({ description: httpText.verify_tls }), isNew, httpDefaults.verify_tls),
    },
    { additionalProperties: false, description: 'Only for type http' },
  )
}

export const HttpRecord = Type.Object(
  {
    method: stringEnum(httpMethods, { examples: ['GET'] }),
    headers: headers('Each with the last four characters of its value, which is kept encrypted', 'cdef'),
    body,
    expected_status: Type.String({ description: httpText.expected_status, examples: ['200-299,301'] }),
    keyword: keyword(httpText.keyword, 'Welcome'),
    keyword_absent: keyword(httpText.keyword_absent, 'Fatal error'),
    follow_redirects: Type.Boolean({ description: httpText.follow_redirects, examples: [true] }),
    verify_tls: Type.Boolean({ description: httpText.verify_tls, examples: [true] }),
  },
  { additionalProperties: false },
)

export type HttpInput = Static<ReturnType<typeof httpInput>>

/** As it is kept and used: the headers with their values. */
export type HttpSettings = Static<typeof HttpRecord>

export const plainHttp: HttpSettings = {
  ...httpDefaults,
  headers: {},
  body: null,
  keyword: null,
  keyword_absent: null,
}
