/** Fields that several kinds of channels have. */
import type { ParseResult } from '../../lib/field-parser.ts'
import { parseHttpUrl } from '../../lib/network-address.ts'
import type { ChannelRules, TextField } from './channel.ts'

const MAX_URL_LENGTH = 2_048
const MAX_TOKEN_LENGTH = 255

/** Servers that allow private targets also accept http, because services in a private network often have no certificate. */
const parseUrl = (example: string) =>
  function parse(text: string, { allowsHttp }: ChannelRules): ParseResult<string> {
    const url = parseHttpUrl(text)
    if (url === 'login') return { errors: ['must not contain a user name or password'] }
    if (url?.protocol === 'https:' || (allowsHttp && url !== undefined)) return { value: text }
    return { errors: [`must be an ${allowsHttp ? 'http or ' : ''}https URL such as ${example}`] }
  }

/** Everybody who knows the URL of a webhook can post messages, so the URL is secret. */
export function webhookUrlField(description: string, example: string, errorExample = example): TextField {
  return {
    description,
    example,
    schema: { minLength: 1, maxLength: MAX_URL_LENGTH },
    isRequired: true,
    isSecret: true,
    parse: parseUrl(errorExample),
  }
}

/** The base URL of a server that can be self-hosted. Belfry appends the path of the API. */
export function serverField(description: string, example: string): TextField {
  const parse = parseUrl(example)
  return {
    description,
    example,
    schema: { minLength: 1, maxLength: MAX_URL_LENGTH },
    isRequired: true,
    isSecret: false,
    isDestination: true,
    parse: (text, rules) => {
      const result = parse(text, rules)
      if ('errors' in result) return result
      if (/[?#]/.test(text)) return { errors: [`must have no query and no fragment, such as ${example}`] }
      return { value: text.replace(/\/+$/, '') }
    },
  }
}

/** A secret that is sent in a header or a JSON body. */
export function tokenField(
  description: string,
  example: string,
  { isRequired = true, pattern = /^[\x21-\x7e]+$/, rule = 'must have no spaces and only ASCII characters' } = {},
): TextField {
  return {
    description,
    example,
    schema: { minLength: 1, maxLength: MAX_TOKEN_LENGTH },
    isRequired,
    isSecret: true,
    parse: (text) => (pattern.test(text) ? { value: text } : { errors: [rule] }),
  }
}
