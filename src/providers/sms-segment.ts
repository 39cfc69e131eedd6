/** How much of a text message costs one: 160 characters of the GSM alphabet (3GPP TS 23.038), or 70 of any other. */

const GSM_MOST = 160
const OTHER_MOST = 70

const gsm = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** Each takes the room of two. */
const gsmTwice = new Set('^{}\\[~]|€')

export function fitsOneSegment(text: string): boolean {
  const characters = [...text]
  const doubled = characters.filter((character) => gsmTwice.has(character)).length
  const isGsm = characters.every((character) => gsm.has(character) || gsmTwice.has(character))
  return isGsm ? characters.length + doubled <= GSM_MOST : text.length <= OTHER_MOST
}
