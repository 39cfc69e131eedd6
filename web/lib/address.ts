/** Completes and shortens URLs and hosts that users type, and makes internationalised ones readable. */
// The plain name "punycode" is a deprecated module of Node, which runs the unit tests.
import { decode as decodePunycode } from 'punycode/punycode.es6.js'
import { MAX_MONITOR_NAME_LENGTH } from '../../src/shared/monitors.ts'

/** Users often leave out https://, but the server accepts only complete URLs. */
export function addScheme(text: string): string {
  const address = text.trim()
  const isUrlWithoutScheme = /^([\w-]+\.)+[\w-]+(:\d+)?([/?#]|$)|^localhost(:\d+)?([/?#]|$)|^\[[\da-f:.]+\]/i.test(
    address,
  )
  return isUrlWithoutScheme ? `https://${address}` : address
}

/** Default name of a monitor: its host. */
export function suggestMonitorName(text: string): string {
  const address = text.trim()
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`)
  return toDisplayHost((url?.hostname ?? '').replace(/^www\./, '')).slice(0, MAX_MONITOR_NAME_LENGTH)
}

/** Path of the form for a new monitor, with the URL filled in. */
export const buildNewMonitorPath = (url: string) => `/monitors/new?url=${encodeURIComponent(url)}`

export const buildNewMonitorPathForDomain = (domain: string) => buildNewMonitorPath(`https://${domain}/`)

/** "münchen.example" for `xn--mnchen-3ya.example`. Labels that could be mistaken for others stay encoded. */
export function toDisplayHost(host: string): string {
  return host.split('.').map(toDisplayLabel).join('.')
}

/** A URL, or a host with or without a port, with its host made readable. */
export function toDisplayAddress(address: string): string {
  return address.replace(
    /^([a-z][a-z\d+.-]*:\/\/)?([^/?#:]+)/i,
    (_, scheme = '', host: string) => `${scheme}${toDisplayHost(host)}`,
  )
}

function toDisplayLabel(label: string): string {
  if (!/^xn--/i.test(label)) return label
  const decoded = tryDecodePunycode(label.slice(4))
  if (decoded === undefined || isConfusable(decoded)) return label
  // Encode the decoded label again. If the result is another label, the decoded one has invisible characters or another
  // spelling, so it is not shown.
  return URL.parse(`http://${decoded}/`)?.hostname === label.toLowerCase() ? decoded : label
}

/** Returns undefined if the text isn't valid. */
function tryDecodePunycode(text: string): string | undefined {
  try {
    return decodePunycode(text)
  } catch {
    return undefined
  }
}

/**
 * Each pattern matches the letters of one script, or of the scripts that Japanese or Korean mixes. Digits and hyphens
 * belong to every script.
 */
const singleScriptPatterns = [
  ...['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Devanagari', 'Bengali', 'Tamil', 'Telugu', 'Thai', 'Georgian'],
  ...['Armenian', 'Gujarati', 'Gurmukhi', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Lao', 'Myanmar', 'Ethiopic'],
]
  .map((script) => `\\p{Script=${script}}`)
  .concat('\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー', '\\p{Script=Han}\\p{Script=Hangul}')
  .map((letters) => new RegExp(`^[\\d\\-${letters}\\p{M}]+$`, 'u'))
/**
 * Cyrillic and Greek letters that look like Latin ones. A label that has only these letters could imitate a Latin
 * label.
 */
const lookalikePattern = /^[\d\-асԁеһіјӏорԛѕԝхуъьҽпгѵѡαικνορτυχ]+$/u

const isConfusable = (label: string) =>
  !singleScriptPatterns.some((pattern) => pattern.test(label)) || lookalikePattern.test(label)

/** The page on which admins set the public URL and the mail server. */
export const SERVER_SETTINGS_PATH = '/account/server'
export const SINGLE_SIGN_ON_PATH = '/account/server/single-sign-on'
