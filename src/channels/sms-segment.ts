/** Text messages are billed by segment: 160 characters of the GSM alphabet (3GPP TS 23.038), or 70 of UTF-16. */

const MAX_GSM_LENGTH = 160
const MAX_UTF16_LENGTH = 70

const gsmAlphabet = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** The extension table of the alphabet. Each of these characters counts as two. */
const gsmExtension = new Set('^{}\\[~]|€')

export function fitsOneSegment(text: string): boolean {
  const characters = [...text]
  const extensionCount = characters.filter((character) => gsmExtension.has(character)).length
  const isGsm = characters.every((character) => gsmAlphabet.has(character) || gsmExtension.has(character))
  return isGsm ? characters.length + extensionCount <= MAX_GSM_LENGTH : text.length <= MAX_UTF16_LENGTH
}

const gsmPunctuation: Record<string, string> = {
  '–': '-',
  '—': '-',
  '…': '...',
  '“': '"',
  '”': '"',
  '’': "'",
  '‘': "'",
}

/** Replaces punctuation that isn't in the GSM alphabet: a single such character would more than halve the length of a segment. */
export function toGsmPunctuation(text: string): string {
  return text.replace(/[–—…“”’‘]/g, (character) => gsmPunctuation[character] ?? character)
}
