/** Settings that go together: all of them or none. */
import { endpointAddress, mailAddress, mailSender, mailServer } from './values.ts'

export type Environment = Record<string, string | undefined>

type Reader = (text: string) => string
type Group<Name extends string> = Record<Name, string> | undefined

/** Notes a mistake where some are set and others are not. */
function readGroup<Name extends string>(
  env: Environment,
  mistakes: string[],
  readers: Record<Name, Reader>,
): Group<Name> {
  const names = Object.keys(readers) as Name[]
  const missing = names.filter((name) => !env[name]?.trim())
  if (missing.length === names.length) return undefined
  if (missing.length > 0) {
    mistakes.push(`${names.join(' and ')} go together: set all or none (not set: ${missing.join(', ')})`)
    return undefined
  }
  const read = (name: Name): [Name, string] => {
    const text = env[name] ?? ''
    try {
      return [name, readers[name](text)]
    } catch (error) {
      mistakes.push(`${name}: ${(error as Error).message}`)
      return [name, text]
    }
  }
  return Object.fromEntries(names.map(read)) as Record<Name, string>
}

/** Passwords and tokens are taken to the letter, spaces and all. */
const trimmed =
  (read: Reader): Reader =>
  (text) =>
    read(text.trim())

export function readAdmin(env: Environment, mistakes: string[]) {
  const group = readGroup(env, mistakes, {
    BELFRY_ADMIN_EMAIL: trimmed((text) => {
      if (!mailAddress.test(text)) throw new Error('not an e-mail address')
      return text
    }),
    BELFRY_ADMIN_PASSWORD: (text) => {
      if (text.length < 10 || text.length > 200) throw new Error('must have 10 to 200 characters')
      return text
    },
  })
  return group && { email: group.BELFRY_ADMIN_EMAIL, password: group.BELFRY_ADMIN_PASSWORD }
}

export function readMail(env: Environment, mistakes: string[]) {
  const group = readGroup(env, mistakes, {
    BELFRY_SMTP_URL: trimmed(mailServer),
    BELFRY_MAIL_FROM: trimmed(mailSender),
  })
  return group && { url: group.BELFRY_SMTP_URL, from: group.BELFRY_MAIL_FROM }
}

/** The form of Twilio's Messages endpoint, which others speak too. */
export function readSms(env: Environment, mistakes: string[]) {
  const group = readGroup(env, mistakes, {
    BELFRY_SMS_URL: trimmed(endpointAddress),
    BELFRY_SMS_ACCOUNT: trimmed(String),
    BELFRY_SMS_TOKEN: String,
    BELFRY_SMS_FROM: trimmed(String),
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
