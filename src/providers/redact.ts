/** Takes secrets out of what somebody else said: services like to repeat what they were sent. */

/** Shorter pieces of a secret would be found in innocent words. */
const PIECE_LEAST = 6

export function redact(text: string, secrets: readonly string[]): string {
  const forms = secrets.filter((secret) => secret !== '').flatMap(formsOf)
  // The longest first, or the rest of it would be left.
  forms.sort((a, b) => b.length - a.length)
  return forms.reduce((rest, form) => rest.replaceAll(form, '…'), text)
}

/** The whole, and the pieces of which it is made: each as it is, as it stands in a URL, and in base64. */
function formsOf(secret: string): string[] {
  const url = URL.parse(secret)
  const pieces = [url?.pathname ?? '', ...secret.split(/[/:?&=@\s]+/)].filter(({ length }) => length >= PIECE_LEAST)
  return [secret, ...pieces].flatMap((piece) => {
    const base64 = Buffer.from(piece).toString('base64')
    return [piece, encodeURIComponent(piece), base64, base64.replace(/=+$/, '')]
  })
}
