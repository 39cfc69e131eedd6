/** Reads settings that must be set together. */
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../shared/limits.ts'
import { emailPattern, parseEndpointUrl, parseMailSender, parseSmtpUrl } from './setting-parsers.ts'

export type Environment = Record<string, string | undefined>

type Parser = (text: string) => string
type Group<Name extends string> = Record<Name, string> | undefined

/** Returns undefined if none of the settings is set. Setting only some of them is an error. */
function readGroup<Name extends string>(
  env: Environment,
  errors: string[],
  parsers: Record<Name, Parser>,
): Group<Name> {
  const names = Object.keys(parsers) as Name[]
  const missingNames = names.filter((name) => !env[name]?.trim())
  if (missingNames.length === names.length) return undefined
  if (missingNames.length > 0) {
    errors.push(`${names.join(', ')} must be set together (missing: ${missingNames.join(', ')})`)
    return undefined
  }
  const parseSetting = (name: Name): [Name, string] => {
    const text = env[name] ?? ''
    try {
      return [name, parsers[name](text)]
    } catch (error) {
      errors.push(`${name}: ${(error as Error).message}`)
      return [name, text]
    }
  }
  return Object.fromEntries(names.map(parseSetting)) as Record<Name, string>
}

/** Removes surrounding spaces before parsing. Don't use it for passwords and tokens, in which spaces matter. */
const trimThen =
  (parse: Parser): Parser =>
  (text) =>
    parse(text.trim())

export function readAdminSettings(env: Environment, errors: string[]) {
  const group = readGroup(env, errors, {
    BELFRY_ADMIN_EMAIL: trimThen((text) => {
      if (!emailPattern.test(text)) throw new Error('must be an email address')
      return text
    }),
    BELFRY_ADMIN_PASSWORD: (text) => {
      if (text.length < MIN_PASSWORD_LENGTH || text.length > MAX_PASSWORD_LENGTH) {
        throw new Error(`must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`)
      }
      return text
    },
  })
  return group && { email: group.BELFRY_ADMIN_EMAIL, password: group.BELFRY_ADMIN_PASSWORD }
}

export function readMailSettings(env: Environment, errors: string[]) {
  const group = readGroup(env, errors, {
    BELFRY_SMTP_URL: trimThen(parseSmtpUrl),
    BELFRY_MAIL_FROM: trimThen(parseMailSender),
  })
  return group && { url: group.BELFRY_SMTP_URL, from: group.BELFRY_MAIL_FROM }
}

/** Reads the settings of an SMS endpoint, which must be compatible with Twilio's Messages API. */
export function readSmsSettings(env: Environment, errors: string[]) {
  const group = readGroup(env, errors, {
    BELFRY_SMS_URL: trimThen(parseEndpointUrl),
    BELFRY_SMS_ACCOUNT: trimThen(String),
    BELFRY_SMS_TOKEN: String,
    BELFRY_SMS_FROM: trimThen(String),
  })
  return (
    group && {
      url: group.BELFRY_SMS_URL,
      account: group.BELFRY_SMS_ACCOUNT,
      token: group.BELFRY_SMS_TOKEN,
      from: group.BELFRY_SMS_FROM,
    }
  )
}
